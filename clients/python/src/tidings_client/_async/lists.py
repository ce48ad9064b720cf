"""Lists, which the client reads page by page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, AsyncIterator, Dict, Generic, List, Mapping, Optional, TypeVar

from .._request import Request, not_from_service
from .transport import AsyncTransport

Item = TypeVar("Item")

PAGE_SIZE = 100


@dataclass(frozen=True)
class AsyncPage(Generic[Item]):
    """A page of a list."""

    items: List[Item]
    next_cursor: Optional[str]
    """For the next page; None at the end."""


class AsyncPages(Generic[Item]):
    """A list, newest first. Iterating reads all of it, and a page only when it is needed.

    Each row that exists from the beginning to the end is seen once, however many are added meanwhile.
    """

    def __init__(self, transport: AsyncTransport, path: str, name: str, filters: Mapping[str, Any]) -> None:
        """:param name: of the items in the answer"""
        self._transport = transport
        self._path = path
        self._name = name
        self._filters = filters

    async def page(self, cursor: Optional[str] = None) -> AsyncPage[Item]:
        """One page.

        :param cursor: `next_cursor` of the page before it; None for the first
        """
        query: Dict[str, Any] = {"limit": PAGE_SIZE, **self._filters, "cursor": cursor}
        data = await self._transport.call(Request("GET", self._path, query))
        items, pagination = data.get(self._name), data.get("pagination")
        if not isinstance(items, list) or not isinstance(pagination, dict) or "next_cursor" not in pagination:
            raise not_from_service()
        next_cursor = pagination["next_cursor"]
        # A cache that ignores the query string answers with the same page again and again.
        if next_cursor is not None and next_cursor == cursor:
            raise not_from_service()
        return AsyncPage(items, next_cursor)

    async def __aiter__(self) -> AsyncIterator[Item]:
        cursor: Optional[str] = None
        while True:
            page = await self.page(cursor)
            for item in page.items:
                yield item
            cursor = page.next_cursor
            if cursor is None:
                return
