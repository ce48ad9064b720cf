"""What sync and async calls share: their options, their requests, and how answers are read. Nothing here waits."""

from __future__ import annotations

import json
import math
import platform
import re
import uuid
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Dict, Mapping, NoReturn, Optional, Tuple, Type, Union
from urllib.parse import quote, urlsplit

import httpx

from . import __version__
from ._errors import TidingsError, error_of


@dataclass(frozen=True)
class Options:
    """The options of a client."""

    api_key: str = field(repr=False)  # tracebacks with locals show options
    root: str = field(repr=False)  # may have a password
    """The address of the service with `/api/v1`."""
    timeout: float
    retries: float

    def __post_init__(self) -> None:
        """:raises ValueError: for numbers with which a call would never begin"""
        if not _is_number(self.timeout, (int, float)) or not 0 < self.timeout < math.inf:
            raise ValueError("timeout must be a number of seconds above 0")
        is_count = _is_number(self.retries, int) or self.retries == math.inf
        if not is_count or self.retries < 0:
            raise ValueError("retries must be an integer of at least 0, or math.inf")


@dataclass(frozen=True)
class Request:
    """One call."""

    method: str
    path: str
    """Behind `/api/v1`."""
    query: Optional[Mapping[str, Any]] = None
    body: object = None
    idempotency_key: Optional[str] = None
    is_repeatable: bool = False
    """A POST without a key that may be repeated, because it names the state to reach."""

    @property
    def is_safe_to_repeat(self) -> bool:
        return self.method != "POST" or self.idempotency_key is not None or self.is_repeatable

    @cached_property
    def content(self) -> Optional[bytes]:
        """The body, the same in all attempts, even if the program changes its dict meanwhile.

        :raises TypeError, ValueError: for values that JSON does not have
        """
        if self.body is None:
            return None
        text = json.dumps(self.body, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_refuse)
        return text.encode()


def _refuse(value: object) -> NoReturn:
    raise TypeError(f"JSON has no values of type {type(value).__name__} (times are text in ISO 8601)")


def options_of(api_key: str, base_url: str, timeout: float, retries: float) -> Options:
    """:raises ValueError: for options that cannot work"""
    if not isinstance(api_key, str) or not api_key:
        raise ValueError("api_key is required")
    key = checked_ascii("api_key", api_key.strip())  # one from a file ends with a line end
    if not _is_address(base_url):
        raise ValueError("base_url must be a URL, such as https://api.example.com, without a query")
    bare = base_url.rstrip("/")
    return Options(key, bare if bare.endswith("/api/v1") else f"{bare}/api/v1", timeout, retries)


def _is_address(base_url: str) -> bool:
    try:
        url, port = httpx.URL(base_url), urlsplit(base_url).port
    except (TypeError, ValueError, AttributeError, httpx.InvalidURL):
        return False
    # httpx accepts port 0, spaces, and a query or a fragment that is empty.
    is_bare = port != 0 and re.search(r"[\s?#]", base_url) is None
    return is_bare and url.scheme in ("http", "https") and url.host != ""


def _is_number(value: object, kind: Union[Type[Any], Tuple[Type[Any], ...]]) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def built_request(http: Any, options: Options, request: Request, headers: Mapping[str, str]) -> Any:
    """The request for httpx.

    :param http: an `httpx.Client` or an `httpx.AsyncClient`: both build requests in the same way
    """
    content = request.content  # its errors come before the key is in a local: tracebacks may show locals
    all_headers: Dict[str, str] = {"X-API-Key": options.api_key, "Accept": "application/json", **headers}
    if http.headers.get("User-Agent", "").startswith("python-httpx/"):  # the program does not name itself
        all_headers["User-Agent"] = f"tidings-client/{__version__} (python {platform.python_version()})"
    if request.idempotency_key is not None:
        all_headers["Idempotency-Key"] = request.idempotency_key
    if content is not None:
        all_headers["Content-Type"] = "application/json"
    params = {name: value for name, value in (request.query or {}).items() if value is not None}
    return http.build_request(
        request.method,
        options.root + request.path,
        params=params,
        content=content,
        headers=all_headers,
        timeout=options.timeout,
    )


def data_of(status: int, headers: Mapping[str, str], body: bytes) -> Any:
    """`data` of an answer.

    :raises TidingsError: the answer is not a success
    """
    answer = _parsed(body)
    if not 200 <= status < 300:
        raise error_of(status, headers, answer)
    if isinstance(answer, dict) and answer.get("success") is True and isinstance(answer.get("data"), dict):
        return answer["data"]
    raise not_from_service(status)


def not_from_service(status: int = 200) -> TidingsError:
    """The error of a success that the service cannot have given."""
    return TidingsError(status, "invalid_answer", "The response is not from Tidings. Check base_url")


def _parsed(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):  # no JSON, or no UTF-8
        return None


def failure_of(error: Exception, options: Options) -> TidingsError:
    """The error of a request without an answer.

    :raises RuntimeError: one of the program's own httpx client
    """
    # Only the RuntimeError of a closed event loop is a lost answer ("the handler is closed" with uvloop).
    # Others are the program's.
    if isinstance(error, RuntimeError) and not re.search("loop|the handler is closed", str(error)):
        raise error
    if isinstance(error, (httpx.TimeoutException, TimeoutError)):
        return TidingsError(0, "timeout", "No response in time")
    reason = str(error) or type(error).__name__
    shown = httpx.URL(options.root).copy_with(userinfo=b"")  # without a password
    return TidingsError(0, "network_error", f"{shown} cannot be reached: {reason}")


def segment(id: str) -> str:
    """An id as a part of a path."""
    if not isinstance(id, str) or not id:
        raise ValueError("an id is required")
    # A path with dots alone would be another path.
    return quote(id, safe="").replace(".", "%2E")


def key_or_random(key: Optional[str]) -> str:
    """The idempotency key of a send: the caller's own, or one for this call."""
    return str(uuid.uuid4()) if key is None else checked_ascii("idempotency_key", key)


def raw_request(
    method: str,
    path: str,
    query: Optional[Mapping[str, Any]],
    body: object,
    idempotency_key: Optional[str],
    is_repeatable: bool,
) -> Request:
    """A request that the program describes by itself.

    :raises ValueError: for a method, a path or a body that the service cannot have
    """
    if method not in ("GET", "POST", "PUT", "DELETE"):
        raise ValueError("method must be GET, POST, PUT or DELETE")
    if not _is_path(path):
        raise ValueError("path must begin with /, and have no query, no fragment, no white space and no dots alone")
    if method == "GET" and body is not None:
        raise ValueError("GET has no body")
    key = None if idempotency_key is None else checked_ascii("idempotency_key", idempotency_key)
    return Request(method, path, query, body, key, is_repeatable)


def _is_path(path: object) -> bool:
    """Whether no URL changes the path, so that it would be another one."""
    if not isinstance(path, str) or re.fullmatch(r"/[^?#\\\x00-\x20\x7f]*", path) is None:
        return False
    return not any(re.fullmatch(r"(\.|%2e){1,2}", part, re.IGNORECASE) for part in path.split("/"))


def checked_ascii(name: str, key: str) -> str:
    """The key, if a header can have it. Otherwise httpx would show it in an error, which looks like one of the network.

    :raises ValueError: without the key, which may be secret
    """
    if not isinstance(key, str) or re.fullmatch("[!-~]+", key) is None:
        raise ValueError(f"{name} must be visible ASCII characters")
    return key
