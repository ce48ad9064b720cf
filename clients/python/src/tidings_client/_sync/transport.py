# Generated from _async by `npm run generate`: do not edit it.
"""One call: its timeout, its repetitions, its response."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any, Callable, Optional

import httpx

from .._errors import TidingsError
from .._ignored_fields import OnIgnoredFields, ignored_fields_in, report_ignored_fields
from .._request import Options, Request, built_request, data_of, failure_of
from .._retry import is_retryable, may_have_effect, pause_of
from ._wait import sleep, time_limit
from .connections import Connections

OnResponse = Callable[[httpx.Response], None]


class Transport:
    """Calls the service, again after failures that are safe to repeat."""

    def __init__(
        self,
        connections: Connections,
        options: Options,
        on_response: Optional[OnResponse] = None,
        on_ignored_fields: Optional[OnIgnoredFields] = None,
    ) -> None:
        self.connections = connections
        self.options = options
        self.on_response = on_response
        self.on_ignored_fields = on_ignored_fields

    def call(self, request: Request) -> Any:
        """`data` of the answer.

        :raises TidingsError: the service refused, or all attempts failed
        :raises Exception: what `on_response` raises
        """
        attempt = 0
        is_calling = False
        is_undecided = False
        while True:
            try:
                response = self._attempt(request)
                if self.on_response is not None:
                    is_calling = True
                    self.on_response(response)
                    is_calling = False
                data = data_of(response.status_code, response.headers, response.content)
            except TidingsError as error:
                if is_calling:  # it is an error of the program's `on_response`
                    raise
                is_undecided = is_undecided or (request.method != "GET" and may_have_effect(error))
                error.idempotency_key, error.is_undecided = request.idempotency_key, is_undecided
                if attempt >= self.options.retries or not is_retryable(error, request.is_safe_to_repeat):
                    raise
                pause = pause_of(attempt, error.retry_after)
            else:
                ignored = ignored_fields_in(response.headers)
                if ignored:
                    report_ignored_fields(self.on_ignored_fields, ignored, request)
                return data
            attempt += 1
            sleep(pause)

    def _attempt(self, request: Request) -> httpx.Response:
        http = self.connections.http()
        if http.is_closed:
            raise RuntimeError("The client is closed")
        built = built_request(http, self.options, request, {})
        begins_at = time.monotonic()
        body = bytearray()
        try:
            with time_limit(self.options.timeout):
                # A redirect would carry the key to another place, and a POST would become a GET.
                response = http.send(built, stream=True, follow_redirects=False)
                try:
                    for chunk in response.iter_bytes():
                        body += chunk
                        if time.monotonic() > begins_at + self.options.timeout:
                            raise httpx.ReadTimeout("the body takes too long", request=built)
                finally:
                    response.close()
        except (httpx.RequestError, OSError, RuntimeError) as error:
            raise failure_of(error, self.options) from error
        whole = httpx.Response(response.status_code, content=bytes(body), request=built, extensions=response.extensions)
        whole.headers = response.headers  # not above: its body is no longer compressed as they say
        whole.elapsed = timedelta(seconds=time.monotonic() - begins_at)
        return whole
