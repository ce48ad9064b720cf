"""mypy accepts the correct calls and refuses the wrong ones: an ignored error that does not occur is one, too."""

from __future__ import annotations

from typing import Dict, List

from tidings_client import AsyncTidings, Tidings
from tidings_client.types import Message, SendMessageRequest
from tidings_client.webhooks import verify_webhook
from typing_extensions import Literal


def right(tidings: Tidings) -> None:
    message: Message = tidings.messages.get("id")
    status: Literal["queued", "sent", "delivered", "failed", "read"] = message["status"]
    tidings.messages.send(
        {"to": "+15551234567", "channel": "sms", "content": {"text": status}}, idempotency_key="order-1"
    )
    tidings.messages.send({"to": "ada@example.com", "channel": "email", "content": {"text": "Hello", "subject": "A"}})
    recipients = ["bob@example.com"]
    tidings.messages.preview({"channel": "email", "content": {"text": "Hello"}, "recipients": recipients})
    if message["to"] is not None and message["content"] is not None:
        text = message["content"]["text"]
        tidings.messages.send({"to": message["to"], "channel": message["channel"], "content": {"text": text}})
        again: SendMessageRequest = {
            "to": message["to"],
            "channel": message["channel"],
            "content": {"text": text, "subject": "Again"},
            "metadata": {"of": message["id"]},
        }
        tidings.messages.send(again)
        tidings.messages.preview(again)
    for listed in tidings.messages.list(status="failed", limit=10):
        print(listed["id"].upper(), listed["credits_used"].is_integer())
    for item in tidings.stream():
        if item.event["event"] == "message.failed":
            print(item.event["data"]["error_code"].upper())
    print(tidings.request("GET", "/webhooks/id/replays", query={"limit": 10})["replays"])
    print(tidings.usage(by="channel")["usage"][0]["credits"])
    print(verify_webhook(b"", {}, ["whsec_AAAA"]).sent_at.year)
    lists: Dict[str, List[str]] = {"webhook-id": ["id"]}
    print(verify_webhook(b"", lists, "whsec_AAAA").id)


async def right_async(tidings: AsyncTidings) -> None:
    async for listed in tidings.messages.list(status="failed"):
        print((await tidings.messages.get(listed["id"]))["to"])


def wrong(tidings: Tidings) -> None:
    Tidings(base_url="https://api.example.com")  # type: ignore[call-arg]
    tidings.messages.send({"to": "+15551234567", "channel": "voice", "content": {"text": "Hello"}})  # type: ignore
    tidings.messages.send({"channel": "sms", "content": {"text": "Hello"}})  # type: ignore
    tidings.request("PATCH", "/webhooks/id")  # type: ignore[arg-type]
    tidings.messages.list(status="lost")  # type: ignore[arg-type]
    tidings.messages.list(cursor="x")  # type: ignore[call-arg]
    tidings.messages.get("id")["price"]  # type: ignore[typeddict-item]
    tidings.webhooks.create({"url": "https://example.com", "events": ["message.lost"]})  # type: ignore[list-item]
    for item in tidings.stream():
        if item.event["event"] == "message.sent":
            item.event["data"]["error_code"]  # type: ignore[typeddict-item]
