"""The stream of events, which connects again by itself (docs/contract/streams.md)."""

from __future__ import annotations

from typing import AsyncGenerator, Callable, Optional

import httpx

from .._errors import TidingsError
from .._events import Reader, StreamedEvent
from .._request import Request, built_request, data_of, failure_of
from .._retry import is_too_long, pause_of
from ._wait import sleep
from .transport import AsyncTransport

# The service writes at least every 15 seconds. A network that drops everything says nothing.
IDLE_SECONDS = 45.0
# A service may demand any time, but time.sleep raises OverflowError above 2^63 nanoseconds, which are 292 years.
LONGEST_SLEEP = 24 * 3600.0


async def read_stream(
    transport: AsyncTransport, last_event_id: Optional[str], on_open: Optional[Callable[[], None]]
) -> AsyncGenerator[StreamedEvent, None]:
    """:raises TidingsError: the service refused the stream, or could not be reached at the beginning"""
    reader = Reader(last_event_id or "")
    was_open = False
    failures = 0
    is_calling = False
    while True:
        response: Optional[httpx.Response] = None
        demanded = 0.0
        try:
            response = await _open(transport, reader.last_event_id)
            was_open = True
            if on_open is not None:
                is_calling = True
                on_open()
                is_calling = False
            reader = Reader(reader.last_event_id)
            async for chunk in response.aiter_bytes():
                for event in reader.feed(chunk):
                    # Not when it opens: an event that cannot be read would be fetched without growing pauses.
                    failures = 0
                    yield event
        except (httpx.RequestError, OSError, RuntimeError, TidingsError) as error:
            if is_calling:  # it is an error of the program's `on_open`
                raise
            failure = error if isinstance(error, TidingsError) else failure_of(error, transport.options)
            is_last = failures >= transport.options.retries or is_too_long(failure)
            if not _can_reopen(failure, was_open) or (not was_open and is_last):
                raise failure from error
            demanded = failure.retry_after or 0.0
            failures += 1
        finally:
            if response is not None:
                await response.aclose()
        await sleep(min(max(demanded, reader.retry, pause_of(max(0, failures - 1), None)), LONGEST_SLEEP))


async def _open(transport: AsyncTransport, last_event_id: str) -> httpx.Response:
    headers = {"Accept": "text/event-stream"}
    if last_event_id:
        headers["Last-Event-ID"] = last_event_id
    http = transport.connections.http()
    request = built_request(http, transport.options, Request("GET", "/stream"), headers)
    request.extensions["timeout"] = httpx.Timeout(transport.options.timeout, read=IDLE_SECONDS).as_dict()
    response = await http.send(request, stream=True, follow_redirects=False)
    if response.status_code == 200 and _media_type_of(response) == "text/event-stream":
        return response
    try:
        if response.status_code != 200:
            data_of(response.status_code, response.headers, await response.aread())
    finally:
        await response.aclose()
    raise TidingsError(response.status_code, "invalid_answer", "The response is not a stream. Check base_url")


def _media_type_of(response: httpx.Response) -> str:
    """A page of another service would end at once, without an event, and be opened again and again."""
    content_type: str = response.headers.get("Content-Type", "")
    return content_type.split(";")[0].strip().lower()


def _can_reopen(error: TidingsError, was_open: bool) -> bool:
    """A connection that broke counts as open until the service notices: then 409 says that there are too many."""
    if error.status == 409:
        return error.code == "limit_reached" and was_open
    return error.status in (0, 429) or error.status >= 500
