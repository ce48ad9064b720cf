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

    content = tidings.PhoneContent(text="Hello {{name}} from Python")
    reference, values = os.environ["REFERENCE"], {"name": "Ada"}
    body = tidings.SendToPhone(to="+15551234567", channel="sms", content=content, variables=values, reference=reference)
    sent = messages.send_message(tidings.SendMessageRequest(body), idempotency_key=reference).data.message
    assert sent.metadata is None and sent.credits_used == 1
    assert sent.content.text == "Hello Ada from Python"

    with urlopen(f"{os.environ['INBOX']}/{sent.id}") as delivery:
        raw = delivery.read()
        Webhook(hook.secret).verify(raw, dict(delivery.headers))
    event = tidings.MessageDeliveredEvent.from_json(raw)
    assert event.data.message_id == sent.id and event.data.reference == reference

    assert messages.get_message(sent.id).data.message.status == tidings.MessageStatus("delivered")
    page = messages.list_messages(reference=reference, limit=10).data
    assert [message.id for message in page.messages] == [sent.id] and page.messages[0].delivered_at is not None
    try:
        messages.list_messages(to="x", limit=10, batch_id=sent.id)
        messages.get_message(hook.webhook.id)
        raise AssertionError("a message with the id of a webhook")
    except tidings.exceptions.NotFoundException as error:
        assert error.data.code == "not_found"
    webhooks.delete_webhook(hook.webhook.id)

    contacts = tidings.ContactsApi(client)
    contact = contacts.create_contact(tidings.CreateContactRequest(name="Ada", email="ada@example.com", tags=["customers"])).data.contact
    change = tidings.UpdateContactRequest(name="Ada Lovelace")
    changed = contacts.update_contact(contact.id, update_contact_request=change).data.contact
    assert changed.name == "Ada Lovelace" and changed.email == "ada@example.com" and changed.tags == ["customers"]
