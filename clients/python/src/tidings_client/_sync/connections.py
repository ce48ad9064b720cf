# Generated from _async by `npm run generate`: do not edit it.
"""The connections of a client."""

from __future__ import annotations

from threading import Lock
from typing import Optional, Tuple

import httpx

from ._wait import connection_owner


class Connections:
    """The httpx client that calls use: the one that was given, or one of our own.

    Connections work only in the event loop (for the sync client: the process) that opened them. So our own httpx client
    is replaced where another loop runs. The former one cannot be closed there: Python closes its sockets.
    """

    def __init__(self, given: Optional[httpx.Client]) -> None:
        self._given = given
        self._own: Optional[Tuple[object, httpx.Client]] = None
        self._lock = Lock()

    def http(self) -> httpx.Client:
        """The httpx client of this event loop (for the sync client: of this process)."""
        if self._given is not None:
            return self._given
        owner = connection_owner()
        with self._lock:  # of threads that call at the same time
            if self._own is None or self._own[0] != owner:
                self._own = (owner, httpx.Client())
            return self._own[1]

    def close(self) -> None:
        """Later calls in this event loop (for the sync client: in this process) fail.

        A client that was given stays open.
        """
        if self._given is None:
            self.http().close()
