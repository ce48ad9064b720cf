"""Server-sent events (HTML Standard, section "Server-sent events"). Nothing here waits."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Dict, Iterator, List, Optional, Union

from typing_extensions import Literal, TypedDict

from ._errors import TidingsError
from .types import MessageDeliveredEvent, MessageFailedEvent, MessageQueuedEvent, MessageSentEvent


class StreamResetEvent(TypedDict):
    """The position was too old: events may be missing, so read the lists again."""

    event: Literal["stream.reset"]
    timestamp: str
    data: Dict[str, object]


MessageEvent = Union[MessageQueuedEvent, MessageSentEvent, MessageDeliveredEvent, MessageFailedEvent]


@dataclass(frozen=True)
class StreamedEvent:
    """An event with its position."""

    id: str
    """Give it to `stream(last_event_id=...)` to resume after this event."""
    event: Union[MessageEvent, StreamResetEvent]
    raw: str
    """What a webhook would get, byte for byte."""


@dataclass
class Reader:
    """Turns the bytes of one connection into events."""

    last_event_id: str
    """The position of the stream: the id of the last block that is complete."""
    retry: float = 0.0
    """Seconds after which the service wants the stream to be opened again."""
    _rest: bytes = b""
    _id: Optional[str] = None
    _data: List[str] = field(default_factory=list)

    def feed(self, chunk: bytes) -> Iterator[StreamedEvent]:
        """The events that are complete with this chunk.

        :raises TidingsError: one is not JSON; the position is after it
        """
        # Only these bytes end a line. str.splitlines() would also break at other separators, which JSON may contain.
        lines = (self._rest + chunk).split(b"\n")
        self._rest = lines.pop()
        for line in lines:
            event = self._take(line.rstrip(b"\r").decode("utf-8", "replace"))
            if event is not None:
                yield event

    def _take(self, line: str) -> Optional[StreamedEvent]:
        if line == "":
            return self._finished()
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "id" and "\0" not in value:
            self._id = value
        elif name == "data":
            self._data.append(value)
        elif name == "retry" and value.isascii() and value.isdigit():
            self.retry = float(value) / 1000
        return None

    def _finished(self) -> Optional[StreamedEvent]:
        """The event of a block; a block without data is only a position."""
        # Not before: the id of a block that broke off would skip its event.
        self.last_event_id = self.last_event_id if self._id is None else self._id
        if not self._data:
            return None
        raw = "\n".join(self._data)
        self._data = []
        try:
            return StreamedEvent(self.last_event_id, json.loads(raw), raw)
        except (ValueError, RecursionError) as error:
            raise TidingsError(0, "invalid_answer", "The stream has an event that is not JSON") from error
