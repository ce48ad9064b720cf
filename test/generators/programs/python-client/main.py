"""The client that openapi-python-client makes: sends, reads, lists, and verifies a webhook."""

import os
from urllib.request import urlopen

from standardwebhooks import Webhook
from tidings_client import AuthenticatedClient
from tidings_client.api.messages import get_message, list_messages, send_message
from tidings_client.api.webhooks import create_webhook, delete_webhook
from tidings_client.models import (
    CreateWebhookRequest,
    Error,
    EventType,
    MessageStatus,
    PhoneContent,
    SendToPhone,
    SendToPhoneChannel,
    SendToPhoneVariablesType0,
)

client = AuthenticatedClient(os.environ["BASE"], os.environ["KEY"], prefix="", auth_header_name="X-API-Key")
hook = create_webhook.sync(client=client, body=CreateWebhookRequest(url=os.environ["HOOK"], events=[EventType.MESSAGE_DELIVERED])).data

body = SendToPhone(
    to="+15551234567",
    channel=SendToPhoneChannel.SMS,
    content=PhoneContent(text="Hello {{name}} from Python"),
    variables=SendToPhoneVariablesType0.from_dict({"name": "Ada"}),
    reference=os.environ["REFERENCE"],
)
sent = send_message.sync(client=client, body=body, idempotency_key=os.environ["REFERENCE"]).data.message
assert sent.metadata is None and sent.credits_used == 1
assert sent.content.text == "Hello Ada from Python"

with urlopen(f"{os.environ['INBOX']}/{sent.id}") as delivery:
    payload = Webhook(hook.secret).verify(delivery.read(), dict(delivery.headers))
assert payload["data"]["message_id"] == str(sent.id)

assert get_message.sync(sent.id, client=client).data.message.status == MessageStatus.DELIVERED
page = list_messages.sync(client=client, reference=os.environ["REFERENCE"], limit=10).data
assert [message.id for message in page.messages] == [sent.id] and page.messages[0].delivered_at is not None
refusal = get_message.sync(hook.webhook.id, client=client)
assert isinstance(refusal, Error) and refusal.code == "not_found"
delete_webhook.sync(hook.webhook.id, client=client)
