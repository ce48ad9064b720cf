"""The client that openapi-generator makes for Python: sends, reads, lists, and verifies a webhook."""

import os
from urllib.request import urlopen

import openapi_client as tidings
from standardwebhooks import Webhook

configuration = tidings.Configuration(host=os.environ["BASE"], api_key={"apiKey": os.environ["KEY"]})
with tidings.ApiClient(configuration) as client:
    messages, webhooks = tidings.MessagesApi(client), tidings.WebhooksApi(client)
    events = [tidings.EventType("message.delivered")]
    hook = webhooks.create_webhook(tidings.CreateWebhookRequest(url=os.environ["HOOK"], events=events)).data

    content = tidings.PhoneContent(text="Hello from Python")
    body = tidings.SendToPhone(to="+15551234567", channel="sms", content=content, reference=os.environ["REFERENCE"])
    sent = messages.send_message(tidings.SendMessageRequest(body), idempotency_key=os.environ["REFERENCE"]).data.message
    assert sent.metadata is None and sent.credits_used == 1

    with urlopen(f"{os.environ['INBOX']}/{sent.id}") as delivery:
        raw = delivery.read()
        Webhook(hook.secret).verify(raw, dict(delivery.headers))
    event = tidings.MessageDeliveredEvent.from_json(raw)
    assert event.data.message_id == sent.id and event.data.reference == os.environ["REFERENCE"]

    assert messages.get_message(sent.id).data.message.status == tidings.MessageStatus("delivered")
    page = messages.list_messages(reference=os.environ["REFERENCE"], limit=10).data
    assert [message.id for message in page.messages] == [sent.id] and page.messages[0].delivered_at is not None
    try:
        messages.list_messages(to="x", limit=10, batch_id=sent.id)
        messages.get_message(hook.webhook.id)
        raise AssertionError("a message with the id of a webhook")
    except tidings.exceptions.NotFoundException as error:
        assert error.data.code == "not_found"
    webhooks.delete_webhook(hook.webhook.id)
