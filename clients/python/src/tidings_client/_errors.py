"""What a call raises."""

from __future__ import annotations

import re
import time
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import Any, Dict, List, Mapping, Optional, Tuple

from typing_extensions import TypedDict


class ErrorDetail(TypedDict):
    """A fault of one field of the request."""

    field: str
    message: str


class TidingsError(Exception):
    """The service refused a request, or could not be reached."""

    status: int
    """The HTTP status; 0 if there was no answer."""
    code: str
    """A word for programs. Without an answer of the service: `network_error`, `timeout` or `invalid_answer`."""
    message: str
    details: List[ErrorDetail]
    """All faults of the fields."""
    hints: List[str]
    """How to correct the faults, for people."""
    request_id: Optional[str]
    """Include it in support requests. None if there was no answer."""
    retry_after: Optional[float]
    """When the service wants to be called again, in seconds; None if it does not say."""
    idempotency_key: Optional[str]
    """The key of the call, also a random one. None if the call has none."""
    is_undecided: bool
    """Whether the service may have done the work, in any attempt, though the call failed. Then call again with the same
    idempotency key; without one, look first whether it was done."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        details: Optional[List[ErrorDetail]] = None,
        hints: Optional[List[str]] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
        idempotency_key: Optional[str] = None,
        is_undecided: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.details = details or []
        self.hints = hints or []
        self.request_id = request_id
        self.retry_after = retry_after
        self.idempotency_key = idempotency_key
        self.is_undecided = is_undecided

    def __reduce__(self) -> Tuple[Any, ...]:
        """Task queues pass exceptions between processes."""
        answer = (self.status, self.code, self.message, self.details, self.hints, self.request_id, self.retry_after)
        return (type(self), (*answer, self.idempotency_key, self.is_undecided))


def error_of(status: int, headers: Mapping[str, str], answer: object) -> TidingsError:
    """The error of an answer that is not a success. A proxy in between answers, too, so that nothing is expected of it.

    :param answer: the body as JSON; None if it is something else
    """
    body: Dict[str, Any] = answer if isinstance(answer, dict) else {}
    return TidingsError(
        status,
        code=_text(body.get("code")) or "invalid_answer",
        message=_text(body.get("error")) or _text_of_status(status, headers),
        details=_list(body.get("details")),
        hints=_list(body.get("hints")),
        request_id=_text(body.get("request_id")) or headers.get("x-request-id"),
        retry_after=_seconds(headers.get("retry-after")),
    )


def _text_of_status(status: int, headers: Mapping[str, str]) -> str:
    """The message of an answer without a text of the service. After a redirect it names the new address."""
    location = headers.get("location")
    redirect = f", a redirect to {location}. Check base_url" if status < 400 and location is not None else ""
    return f"HTTP status {status}{redirect}"


def _text(value: object) -> Optional[str]:
    return value if isinstance(value, str) and value else None


def _list(value: object) -> List[Any]:
    return value if isinstance(value, list) else []


# The three forms of a date in HTTP (RFC 9110, section 5.6.7).
_HTTP_DATE = re.compile(
    r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT"
    r"|[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT"
    r"|[A-Z][a-z]{2} [A-Z][a-z]{2} [\d ]\d \d\d:\d\d:\d\d \d{4}",
    re.ASCII,
)


def _seconds(value: Optional[str]) -> Optional[float]:
    """`Retry-After` as seconds, also with a fraction, or as a date (RFC 9110, section 10.2.3)."""
    text = (value or "").strip()
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", text):
        return float(text)
    if not _HTTP_DATE.fullmatch(text):
        return None
    try:
        # Also the form that names no zone is in UTC.
        return max(0.0, parsedate_to_datetime(text).replace(tzinfo=timezone.utc).timestamp() - time.time())
    except (TypeError, ValueError):  # TypeError in Python 3.9
        return None
