# Generated from _async by `npm run generate`: do not edit it.
"""Messages and batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional, cast

from .. import types
from .._request import Request, key_or_random, segment
from .lists import Pages
from .transport import Transport

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Messages:
    """Messages."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def send(self, message: types.SendMessageRequest, *, idempotency_key: Optional[str] = None) -> types.Message:
        """Send a message, once for each idempotency key.

        :param idempotency_key: your own, such as an order number: then a repetition after a crash of your program is
            safe, too. By default a random one for this call
        :returns: the message; repeated, as it was at first
        """
        request = Request("POST", "/messages/send", body=message, idempotency_key=key_or_random(idempotency_key))
        return cast(types.MessageData, self._transport.call(request))["message"]

    def get(self, id: str) -> types.Message:
        request = Request("GET", f"/messages/{segment(id)}")
        return cast(types.MessageData, self._transport.call(request))["message"]

    def list(self, **filters: Unpack[types.ListMessagesQuery]) -> Pages[types.Message]:
        """The messages, newest first. `limit` is the size of a page, not of the list."""
        return Pages(self._transport, "/messages", "messages", filters)

    def timeline(self, id: str) -> types.Timeline:
        """Every step of a message so far, and what it waits for."""
        request = Request("GET", f"/messages/{segment(id)}/timeline")
        return cast(types.TimelineData, self._transport.call(request))["timeline"]

    def cancel(self, id: str) -> types.Message:
        """Cancel a message that was not handed off; its credits are refunded."""
        request = Request("POST", f"/messages/{segment(id)}/cancel", is_repeatable=True)
        return cast(types.MessageData, self._transport.call(request))["message"]

    def preview(self, request: types.PreviewMessagesRequest) -> types.PreviewData:
        """Render and price a single or a bulk send, and send nothing."""
        call = Request("POST", "/messages/preview", body=request, is_repeatable=True)
        return cast(types.PreviewData, self._transport.call(call))


class Batches:
    """Batches: bulk sends."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def send(self, batch: types.SendBulkRequest, *, idempotency_key: Optional[str] = None) -> types.Batch:
        """Send to up to 10,000 recipients, once for each idempotency key.

        :returns: the batch; repeated, as it was at first
        """
        request = Request("POST", "/messages/bulk", body=batch, idempotency_key=key_or_random(idempotency_key))
        return cast(types.BatchData, self._transport.call(request))["batch"]

    def get(self, id: str) -> types.Batch:
        request = Request("GET", f"/messages/bulk/{segment(id)}")
        return cast(types.BatchData, self._transport.call(request))["batch"]

    def list(self, **filters: Unpack[types.ListBatchesQuery]) -> Pages[types.BatchSummary]:
        """The batches, newest first. `limit` is the size of a page, not of the list."""
        return Pages(self._transport, "/messages/bulk", "batches", filters)

    def pause(self, id: str) -> types.Batch:
        """No further message is handed off."""
        return self._change(id, "pause")

    def resume(self, id: str) -> types.Batch:
        return self._change(id, "resume")

    def cancel(self, id: str) -> types.Batch:
        """Refunds what was not handed off."""
        return self._change(id, "cancel")

    def _change(self, id: str, verb: str) -> types.Batch:
        request = Request("POST", f"/messages/bulk/{segment(id)}/{verb}", is_repeatable=True)
        return cast(types.BatchData, self._transport.call(request))["batch"]
