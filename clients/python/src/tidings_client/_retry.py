"""When a call is repeated, and after which pause."""

from __future__ import annotations

import random
from typing import Optional

import httpx

from ._errors import TidingsError

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 10.0
# Rate limits have windows of a minute. A longer wait is for the caller to decide.
LONGEST_RETRY_AFTER = 65.0

# No request was sent.
_UNCONNECTED = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)


def is_retryable(error: TidingsError, is_safe_to_repeat: bool) -> bool:
    """Whether a request may be sent again after this failure (docs/contract/errors.md).

    A request that was refused for its rate or its moment left no trace. In all other cases the service may have done
    its work, so that only a request that is safe to repeat is repeated.

    :param is_safe_to_repeat: True for reads, for changes to a given state, and for requests with an idempotency key
    """
    if is_too_long(error):
        return False
    if error.status == 429 or _is_busy(error):
        return True
    return is_safe_to_repeat and (_is_unanswered(error) or error.status in (500, 503))


def is_too_long(error: TidingsError) -> bool:
    """Whether the service wants to be called again so late that the caller decides."""
    return (error.retry_after or 0) > LONGEST_RETRY_AFTER


def may_have_effect(error: TidingsError) -> bool:
    """Whether the service may have done the work, though this attempt failed."""
    if error.status > 0:
        # A success that cannot be read may come from the service or from a proxy: it decides nothing.
        return error.status < 300 or (error.status >= 500 and not _is_busy(error))
    return not isinstance(error.__cause__, _UNCONNECTED)


def _is_busy(error: TidingsError) -> bool:
    """The service refused because of its load, and has done nothing."""
    return error.status == 503 and error.code == "unavailable"


def _is_unanswered(error: TidingsError) -> bool:
    """No answer, or an answer of something that could not ask the service."""
    return (error.status == 0 and error.code != "invalid_answer") or error.status in (502, 504)


def pause_of(attempt: int, retry_after: Optional[float], chance: Optional[float] = None) -> float:
    """The pause before a further attempt, in seconds.

    It doubles each time, and half of it is random, so that many clients do not come back at once. It is never shorter
    than the service demands.

    :param attempt: 0 for the first repetition
    """
    chance = random.random() if chance is None else chance  # noqa: S311 -- no secret depends on it
    pause = min(FIRST_PAUSE * 2.0 ** min(attempt, 30), LONGEST_PAUSE)
    demanded = retry_after or 0.0
    return demanded + pause * (0.5 + chance / 2) * (0.5 if demanded > 0 else 1.0)
