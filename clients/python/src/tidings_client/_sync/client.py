# Generated from _async by `npm run generate`: do not edit it.
"""The synchronous client."""

from __future__ import annotations

from dataclasses import replace
from types import TracebackType
from typing import Any, Generator, Callable, Mapping, Optional, Type, cast

import httpx
from typing_extensions import Literal, Self

from .. import types
from .._events import StreamedEvent
from .._ignored_fields import OnIgnoredFields
from .._request import Options, Request, checked_ascii, options_of, raw_request
from .connections import Connections
from .messages import Batches, Messages
from .resources import Contacts, Suppressions, Webhooks
from .stream import read_stream
from .transport import Transport, OnResponse


class Tidings:
    """A client of Tidings.

    It keeps connections open: use it with `with`, or call `close()` at the end. Its methods raise
    `TidingsError`, `ValueError` for an id, a key or a position that cannot work, `ValueError` or `TypeError` for a body
    that is not JSON, and what `on_response` or `on_open` raises.
    """

    messages: Messages
    batches: Batches
    contacts: Contacts
    suppressions: Suppressions
    webhooks: Webhooks

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        timeout: float = 30.0,
        retries: float = 5,
        http_client: Optional[httpx.Client] = None,
        on_response: Optional[OnResponse] = None,
        on_ignored_fields: Optional[OnIgnoredFields] = None,
    ) -> None:
        """:param api_key: `tidings_...`, from POST /api-keys
        :param base_url: where the service is, such as `https://api.example.com`; `/api/v1` at its end is allowed
        :param timeout: seconds for one attempt, body included
        :param retries: further attempts after a failure that is safe to repeat; `math.inf` for no limit
        :param http_client: instead of one with the settings of httpx, for example behind a proxy; closed by its owner
        :param on_response: a plain function, no coroutine, called with each response and its body, for what only
            headers say: `X-RateLimit-Remaining`. What it raises ends the call: the request is not repeated, though the
            service has answered it
        :param on_ignored_fields: a plain function, called when a request succeeded, but the service has ignored fields
            of it, for example unknown ones, with their paths and the request; by default an `IgnoredFieldsWarning`
        :raises ValueError: for options that cannot work
        """
        options = options_of(api_key, base_url, timeout, retries)
        self._is_derived = False
        self._use(Transport(Connections(http_client), options, on_response, on_ignored_fields))

    def _use(self, transport: Transport) -> None:
        self._transport = transport
        self.messages = Messages(transport)
        self.batches = Batches(transport)
        self.contacts = Contacts(transport)
        self.suppressions = Suppressions(transport)
        self.webhooks = Webhooks(transport)

    def with_options(self, *, timeout: Optional[float] = None, retries: Optional[float] = None) -> Tidings:
        """A client with other options and the same connections, for example for a single call."""
        old = self._transport
        options: Options = old.options
        if timeout is not None:
            options = replace(options, timeout=timeout)
        if retries is not None:
            options = replace(options, retries=retries)
        other = object.__new__(Tidings)
        other._is_derived = True
        other._use(Transport(old.connections, options, old.on_response, old.on_ignored_fields))
        return other

    def balance(self) -> types.Balance:
        """The credit balance, and the credits spent today."""
        return cast(types.Balance, self._transport.call(Request("GET", "/balance")))

    def usage(
        self, *, from_: Optional[str] = None, to: Optional[str] = None, by: Optional[Literal["day", "channel"]] = None
    ) -> types.Usage:
        """Messages and credits of a period, by day or channel. `from_` and `to` are in ISO 8601."""
        query = {"from": from_, "to": to, "by": by}
        return cast(types.Usage, self._transport.call(Request("GET", "/usage", query)))

    def request(
        self,
        method: Literal["GET", "POST", "PUT", "DELETE"],
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: object = None,
        idempotency_key: Optional[str] = None,
        is_repeatable: bool = False,
    ) -> Any:
        """Call an operation that has no method here, and return `data` of its answer.

        It is repeated like the methods: a POST only after 429 and 503 of the service, unless it has an idempotency key
        or `is_repeatable`.

        :param path: behind `/api/v1`, such as `/webhooks/{id}/replays`, its parts encoded
        :param query: for a list, `limit` and `cursor`, too; None leaves a parameter out
        :param idempotency_key: only for the operations that accept one, which are named in the API reference
        :param is_repeatable: a POST without a key may be repeated after a lost answer: it names the state to reach
        """
        return self._transport.call(raw_request(method, path, query, body, idempotency_key, is_repeatable))

    def stream(
        self, *, last_event_id: Optional[str] = None, on_open: Optional[Callable[[], None]] = None
    ) -> Generator[StreamedEvent, None, None]:
        """Every status change of a message, as it happens.

        The stream is opened when the first event is asked for. It survives lost connections, and no event comes twice.
        It ends when it is closed, or with an error.

        :param last_event_id: `id` of the last event that was handled: the stream goes on after it, for up to an
            hour. By default it begins now
        :param on_open: a plain function, no coroutine, called each time the stream is open, before its events. What it
            raises ends the stream
        """
        if last_event_id is not None and last_event_id != "":
            checked_ascii("last_event_id", last_event_id)
        return read_stream(self._transport, last_event_id, on_open)

    def close(self) -> None:
        """Close the connections. It does nothing on a client from `with_options`, or if `http_client` was given."""
        if not self._is_derived:
            self._transport.connections.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()
