"""Verifies webhooks of Tidings and of other senders that follow Standard Webhooks.

A secret needs the standard library only. A public key needs `cryptography`: install `tidings-client[asymmetric]`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from typing_extensions import Literal, Protocol

Fault = Literal["headers", "timestamp", "signature", "body"]

_SECRET_PREFIX = "whsec_"  # noqa: S105 -- not a secret
_PUBLIC_PREFIX = "whpk_"
_PRIVATE_PREFIX = "whsk_"
# A request has a few: of two secrets and two key pairs during a rotation. With a public key, each costs a hash of the
# body, which anybody could demand.
_SIGNATURES_MAX = 16


class WebhookVerificationError(Exception):
    """The request is not authentic, its time differs too much from now, or its body is no JSON object. Return 403."""

    fault: Fault

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(fault, message)
        self.fault = fault

    def __str__(self) -> str:
        return str(self.args[1])


@dataclass(frozen=True)
class VerifiedWebhook:
    """A verified webhook request and its body."""

    id: str
    """The same for every attempt of an event."""
    event: str
    """Such as `message.delivered`."""
    timestamp: str
    data: Dict[str, Any]
    sent_at: datetime
    """When this attempt was made."""


class Headers(Protocol):
    """Headers of any framework, or a plain dict. Some frameworks have a list of values for each name."""

    def items(self) -> Iterable[Tuple[str, Union[str, Sequence[str]]]]: ...


_Fits = Callable[[bytes], bool]
# The version of the signatures of a key, and the function that makes their comparison from the signed bytes.
_Check = Tuple[bytes, Callable[[bytes], _Fits]]


def verify_webhook(
    raw_body: Union[bytes, str],
    headers: Headers,
    keys: Union[str, Sequence[str]],
    *,
    tolerance_seconds: float = 300,
    now: Optional[float] = None,
) -> VerifiedWebhook:
    """Verify the signature and the age of a webhook request.

    :param raw_body: the body as it arrived, byte for byte: parsing and serializing it changes the signature
    :param keys: the secret (`whsec_...`), or the public key (`whpk_...`) of an asymmetric webhook; several during a
        rotation
    :param tolerance_seconds: how many seconds the time of the request may differ from `now`, in either direction
    :param now: seconds since 1970; by default the present
    :raises WebhookVerificationError: if the request is not authentic, its time differs too much from now,
        or its body is no JSON object
    :raises ValueError: if a key is invalid
    :raises TypeError: if the body is not raw
    """
    if not isinstance(raw_body, (str, bytes, bytearray, memoryview)):
        raise TypeError("raw_body must be the raw bytes or text")
    are_several = isinstance(keys, Iterable) and not isinstance(keys, (str, bytes))
    checks = [_check_of(key) for key in (keys if are_several else [keys])]
    if not checks:
        raise ValueError("at least one secret or public key is needed")
    body = _bytes(raw_body) if isinstance(raw_body, str) else bytes(raw_body)
    given = {name.lower(): value for name, value in headers.items()}
    id, timestamp, signatures = (_header(given, f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    sent_at = int(timestamp) if timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12 else None
    if sent_at is None or not abs((time.time() if now is None else now) - sent_at) <= tolerance_seconds:
        raise WebhookVerificationError("timestamp", "sent too long ago, or in the future")
    signed = _bytes(f"{id}.{timestamp}.") + body
    candidates = [_versioned(item) for item in signatures.split(" ")[:_SIGNATURES_MAX]]
    comparisons = ((own, comparison_with(signed)) for own, comparison_with in checks)
    if not any(version == own and fits(signature) for own, fits in comparisons for version, signature in candidates):
        raise WebhookVerificationError("signature", "no signature matches")
    event = _parsed(body)
    return VerifiedWebhook(
        id=id,
        event=event.get("event", ""),
        timestamp=event.get("timestamp", ""),
        data=event.get("data", {}),
        sent_at=datetime.fromtimestamp(sent_at, timezone.utc),
    )


def _check_of(key: object) -> _Check:
    if not isinstance(key, str):
        raise ValueError(f"a secret is {_SECRET_PREFIX} and base64")
    if key.startswith(_PRIVATE_PREFIX):
        raise ValueError(f"{_PRIVATE_PREFIX}... is a private key: whoever verifies needs {_PUBLIC_PREFIX}...")
    if key.startswith(_PUBLIC_PREFIX):
        return b"v1a", _asymmetric(_decoded(key[len(_PUBLIC_PREFIX) :]))
    secret = _decoded(key[len(_SECRET_PREFIX) :] if key.startswith(_SECRET_PREFIX) else key)
    if not secret:
        raise ValueError(f"a secret is {_SECRET_PREFIX} and base64")
    return b"v1", lambda signed: _symmetric(secret, signed)


def _symmetric(secret: bytes, signed: bytes) -> _Fits:
    digest = hmac.new(secret, signed, hashlib.sha256).digest()  # once for all signatures
    return lambda signature: hmac.compare_digest(digest, signature)


def _asymmetric(key: bytes) -> Callable[[bytes], _Fits]:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    if len(key) != 32:
        raise ValueError(f"a public key is {_PUBLIC_PREFIX} and the base64 of 32 bytes")
    public_key = Ed25519PublicKey.from_public_bytes(key)

    def fits(signed: bytes, signature: bytes) -> bool:
        try:
            public_key.verify(signature, signed)
        except InvalidSignature:
            return False
        return True

    return lambda signed: lambda signature: fits(signed, signature)


def _versioned(item: str) -> Tuple[bytes, bytes]:
    version, _, signature = item.partition(",")
    return _bytes(version), _decoded(signature)


def _bytes(text: str) -> bytes:
    """The bytes of a text. Some frameworks make lone surrogates of bytes that are not valid UTF-8.

    They match no signature.
    """
    return text.encode("utf-8", "surrogatepass")


def _decoded(text: str) -> bytes:
    """The bytes of base64; empty if the text is not base64."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _header(headers: Mapping[str, object], name: str) -> str:
    value = headers.get(name)
    if isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    if not isinstance(value, str) or not value:
        raise WebhookVerificationError("headers", f"no header {name}, or several")
    return value


def _parsed(body: bytes) -> Dict[str, Any]:
    try:
        event = json.loads(body)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        raise WebhookVerificationError("body", "the signed body is not a JSON object")
    return event


__all__: List[str] = ["Fault", "VerifiedWebhook", "WebhookVerificationError", "verify_webhook"]
