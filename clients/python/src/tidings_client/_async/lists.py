"""Lists, which the client reads part by part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, AsyncIterator, Dict, Generic, List, Mapping, Optional, TypeVar

from .._request import Request
from .transport import AsyncTransport

Item = TypeVar("Item")

PART_SIZE = 100


@dataclass(frozen=True)
class AsyncPage(Generic[Item]):
    """A part of a list."""

    items: List[Item]
    next_cursor: Optional[str]
    """For the next part; None at the end."""


class AsyncPages(Generic[Item]):
    """A list, newest first. Iterating reads all of it, and a part only when it is needed.

    Each row that exists from the beginning to the end is seen once, however many are added meanwhile.
    """

    def __init__(self, transport: AsyncTransport, path: str, name: str, filters: Mapping[str, Any]) -> None:
        """:param name: of the items in the answer"""
        self._transport = transport
        self._path = path
        self._name = name
        self._filters = filters

    async def page(self, cursor: Optional[str] = None) -> AsyncPage[Item]:
        """One part.

        :param cursor: `next_cursor` of the part before it; None for the first
        """
        query: Dict[str, Any] = {"limit": PART_SIZE, **self._filters, "cursor": cursor}
        data = await self._transport.call(Request("GET", self._path, query))
        return AsyncPage(data[self._name], data["pagination"]["next_cursor"])

    async def __aiter__(self) -> AsyncIterator[Item]:
        cursor: Optional[str] = None
        while True:
            part = await self.page(cursor)
            for item in part.items:
                yield item
            cursor = part.next_cursor
            if cursor is None:
                return
