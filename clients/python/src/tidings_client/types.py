"""Types of requests and answers. Generated from the OpenAPI document by `npm run client:types`: do not edit it."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from typing_extensions import Literal, NotRequired, TypedDict

SendMessageRequest = Union["SendToPhone", "SendToEmailAddress", "SendToContact"]

TemplateHeader = Union["TemplateTextHeader", "TemplateImageHeader", "TemplateVideoHeader", "TemplateDocumentHeader"]

TemplateButton = Union["TemplateUrlButton", "TemplateQuickReplyButton"]

Metadata = Mapping[str, Any]

Channel = Literal["sms", "whatsapp", "email"]

SendBulkRequest = Union["BulkToRecipients", "BulkToTag"]

BulkTemplateHeader = Union["BulkTemplateTextHeader", "BulkTemplateImageHeader", "BulkTemplateVideoHeader", "BulkTemplateDocumentHeader"]

BulkTemplateButton = Union["BulkTemplateUrlButton", "BulkTemplateQuickReplyButton"]

BulkRecipient = Union[str, "RecipientByAddress", "RecipientByContact"]

PreviewMessagesRequest = Union["SendToPhone", "SendToEmailAddress", "SendToContact", "BulkToRecipients", "BulkToTag"]

EventType = Literal["message.queued", "message.sent", "message.delivered", "message.failed"]

MessageStatus = Literal["queued", "sent", "delivered", "failed", "read"]

Encoding = Literal["GSM-7", "UCS-2"]

BatchStatus = Literal["scheduled", "sending", "paused", "completed", "cancelled"]


class SendToPhone(TypedDict):
    to: str
    """E.164 phone number, or the e-mail address on the channel email"""
    channel: Literal["sms", "whatsapp"]
    content: PhoneContent
    variables: NotRequired[Optional[Mapping[str, Optional[Union[str, float, bool]]]]]
    """Values of the placeholders {{ name }} and {{ name | fallback }} in the content, which are filled in as in a bulk send. Without variables the content is literal"""
    metadata: NotRequired[Optional[Metadata]]
    """At most 4,096 bytes as JSON, 50 keys, 5 levels"""
    reference: NotRequired[Optional[str]]
    scheduled_at: NotRequired[Optional[str]]
    """At most 30 days ahead; a moment in the past means now"""
    expires_at: NotRequired[Optional[str]]
    """Not handed to a provider after this moment"""
    fallback: NotRequired[Optional[Sequence[FallbackStep]]]
    """What is sent instead, in this order, when the message fails or is not delivered in time; each is a message of its own, with what its channel knows of the content. All together cost what the dearest of them does, at most"""


class PhoneContent(TypedDict):
    text: str
    subject: NotRequired[Optional[str]]
    html: NotRequired[Optional[str]]
    """email only"""
    unsubscribe: NotRequired[Optional[bool]]
    """email only: the mail carries the headers of a one-click unsubscription (RFC 8058)"""
    template: NotRequired[Optional[Template]]
    """whatsapp only: the approved template that is sent instead of the text, the only thing that reaches somebody who has not written within 24 hours"""


class Template(TypedDict):
    name: str
    """As approved by Meta; with Twilio the SID of the content (HX…)"""
    language: str
    """Code of the language, for example en_US"""
    variables: NotRequired[Optional[Mapping[str, str]]]
    """Texts by name, or by number from 1, as the template has them; at most 50. Of the body; with Twilio of all parts, and header and buttons are not given"""
    header: NotRequired[Optional[TemplateHeader]]
    buttons: NotRequired[Optional[Sequence[TemplateButton]]]
    """What fills in buttons, by their places from 0: the end of a URL, or what comes back when a quick reply is pressed"""


class TemplateTextHeader(TypedDict):
    type: Literal["text"]
    text: str
    name: NotRequired[Optional[str]]
    """The name of the variable, where the variables of the template have names"""


class TemplateImageHeader(TypedDict):
    type: Literal["image"]
    link: str


class TemplateVideoHeader(TypedDict):
    type: Literal["video"]
    link: str


class TemplateDocumentHeader(TypedDict):
    type: Literal["document"]
    link: str
    filename: NotRequired[Optional[str]]


class TemplateUrlButton(TypedDict):
    index: int
    type: Literal["url"]
    suffix: str


class TemplateQuickReplyButton(TypedDict):
    index: int
    type: Literal["quick_reply"]
    payload: str


class FallbackStep(TypedDict):
    channel: Channel
    to: NotRequired[Optional[str]]
    """Default: the recipient of the message, if this channel uses the same kind of address"""
    after: int
    """Seconds within which the previous message must be delivered, counted from when it is due"""


class SendToEmailAddress(TypedDict):
    to: str
    """E.164 phone number, or the e-mail address on the channel email"""
    channel: Literal["email"]
    content: Content
    variables: NotRequired[Optional[Mapping[str, Optional[Union[str, float, bool]]]]]
    """Values of the placeholders {{ name }} and {{ name | fallback }} in the content, which are filled in as in a bulk send. Without variables the content is literal"""
    metadata: NotRequired[Optional[Metadata]]
    """At most 4,096 bytes as JSON, 50 keys, 5 levels"""
    reference: NotRequired[Optional[str]]
    scheduled_at: NotRequired[Optional[str]]
    """At most 30 days ahead; a moment in the past means now"""
    expires_at: NotRequired[Optional[str]]
    """Not handed to a provider after this moment"""
    fallback: NotRequired[Optional[Sequence[FallbackStep]]]
    """What is sent instead, in this order, when the message fails or is not delivered in time; each is a message of its own, with what its channel knows of the content. All together cost what the dearest of them does, at most"""


class Content(TypedDict):
    text: str
    subject: NotRequired[Optional[str]]
    html: NotRequired[Optional[str]]
    """email only"""
    unsubscribe: NotRequired[Optional[bool]]
    """email only: the mail carries the headers of a one-click unsubscription (RFC 8058)"""
    template: NotRequired[Optional[Template]]
    """whatsapp only: the approved template that is sent instead of the text, the only thing that reaches somebody who has not written within 24 hours"""


class SendToContact(TypedDict):
    contact_id: str
    """The id of a contact, instead of `to`. Its phone number is used, or its e-mail address for email"""
    channel: Channel
    content: Content
    variables: NotRequired[Optional[Mapping[str, Optional[Union[str, float, bool]]]]]
    """Values of the placeholders {{ name }} and {{ name | fallback }} in the content, which are filled in as in a bulk send. Without variables the content is literal"""
    metadata: NotRequired[Optional[Metadata]]
    """At most 4,096 bytes as JSON, 50 keys, 5 levels"""
    reference: NotRequired[Optional[str]]
    scheduled_at: NotRequired[Optional[str]]
    """At most 30 days ahead; a moment in the past means now"""
    expires_at: NotRequired[Optional[str]]
    """Not handed to a provider after this moment"""
    fallback: NotRequired[Optional[Sequence[FallbackStep]]]
    """What is sent instead, in this order, when the message fails or is not delivered in time; each is a message of its own, with what its channel knows of the content. All together cost what the dearest of them does, at most"""


class BulkToRecipients(TypedDict):
    channel: Channel
    content: BulkContent
    recipients: Optional[Sequence[BulkRecipient]]
    metadata: NotRequired[Optional[Metadata]]
    """At most 4,096 bytes as JSON, 50 keys, 5 levels"""
    reference: NotRequired[Optional[str]]
    scheduled_at: NotRequired[Optional[str]]
    """At most 30 days ahead; a moment in the past means now"""
    rate: NotRequired[Optional[float]]
    """Messages a second; without it as fast as the provider takes them"""
    on_invalid: NotRequired[Optional[Literal["reject", "skip"]]]
    """reject (default): one invalid recipient rejects the batch; skip: invalid recipients are left out"""
    allow_duplicates: NotRequired[Optional[bool]]
    """Allow duplicate recipients"""


class BulkContent(TypedDict):
    text: str
    """Placeholders: {{ name }}, {{ name | fallback }}; \\{{ is a literal {{"""
    subject: NotRequired[Optional[str]]
    html: NotRequired[Optional[str]]
    """email only"""
    unsubscribe: NotRequired[Optional[bool]]
    """email only: the mail carries the headers of a one-click unsubscription (RFC 8058)"""
    template: NotRequired[Optional[BulkTemplate]]
    """whatsapp only: the approved template that is sent instead of the text, the only thing that reaches somebody who has not written within 24 hours"""


class BulkTemplate(TypedDict):
    name: str
    """As approved by Meta; with Twilio the SID of the content (HX…)"""
    language: str
    """Code of the language, for example en_US"""
    variables: NotRequired[Optional[Mapping[str, str]]]
    """Texts by name, or by number from 1, as the template has them; at most 50. Of the body; with Twilio of all parts, and header and buttons are not given"""
    header: NotRequired[Optional[BulkTemplateHeader]]
    buttons: NotRequired[Optional[Sequence[BulkTemplateButton]]]
    """What fills in buttons, by their places from 0: the end of a URL, or what comes back when a quick reply is pressed"""


class BulkTemplateTextHeader(TypedDict):
    type: Literal["text"]
    text: str
    name: NotRequired[Optional[str]]
    """The name of the variable, where the variables of the template have names"""


class BulkTemplateImageHeader(TypedDict):
    type: Literal["image"]
    link: str


class BulkTemplateVideoHeader(TypedDict):
    type: Literal["video"]
    link: str


class BulkTemplateDocumentHeader(TypedDict):
    type: Literal["document"]
    link: str
    filename: NotRequired[Optional[str]]


class BulkTemplateUrlButton(TypedDict):
    index: int
    type: Literal["url"]
    suffix: str


class BulkTemplateQuickReplyButton(TypedDict):
    index: int
    type: Literal["quick_reply"]
    payload: str


class RecipientByAddress(TypedDict):
    to: str
    variables: NotRequired[Mapping[str, Optional[Union[str, float, bool]]]]
    metadata: NotRequired[Optional[Mapping[str, Any]]]
    reference: NotRequired[str]


class RecipientByContact(TypedDict):
    contact_id: str
    variables: NotRequired[Mapping[str, Optional[Union[str, float, bool]]]]
    metadata: NotRequired[Optional[Mapping[str, Any]]]
    reference: NotRequired[str]


class BulkToTag(TypedDict):
    channel: Channel
    content: BulkContent
    tag: str
    """Instead of recipients: all contacts with this tag that the channel reaches"""
    metadata: NotRequired[Optional[Metadata]]
    """At most 4,096 bytes as JSON, 50 keys, 5 levels"""
    reference: NotRequired[Optional[str]]
    scheduled_at: NotRequired[Optional[str]]
    """At most 30 days ahead; a moment in the past means now"""
    rate: NotRequired[Optional[float]]
    """Messages a second; without it as fast as the provider takes them"""
    on_invalid: NotRequired[Optional[Literal["reject", "skip"]]]
    """reject (default): one invalid recipient rejects the batch; skip: invalid recipients are left out"""
    allow_duplicates: NotRequired[Optional[bool]]
    """Allow duplicate recipients"""


class CreateContactRequest(TypedDict):
    name: NotRequired[Optional[str]]
    phone: NotRequired[Optional[str]]
    """E.164"""
    email: NotRequired[Optional[str]]
    tags: NotRequired[Optional[Sequence[str]]]
    custom_fields: NotRequired[Optional[Mapping[str, Any]]]
    """At most 4,096 bytes as JSON, 50 keys, 5 levels"""


class UpdateContactRequest(TypedDict):
    name: NotRequired[Optional[str]]
    phone: NotRequired[Optional[str]]
    """E.164"""
    email: NotRequired[Optional[str]]
    tags: NotRequired[Optional[Sequence[str]]]
    custom_fields: NotRequired[Optional[Mapping[str, Any]]]
    """At most 4,096 bytes as JSON, 50 keys, 5 levels"""


class CreateWebhookRequest(TypedDict):
    url: str
    events: Sequence[EventType]
    description: NotRequired[Optional[str]]
    retry_delays: NotRequired[Optional[Sequence[float]]]
    """Seconds to wait before each retry. Empty list: no retries. Null: the default retry delays"""
    rate: NotRequired[Optional[float]]
    """Maximum attempts per second, those of retries, replays, resends and tests together. Null: as fast as the endpoint answers"""
    ordered: NotRequired[Optional[bool]]
    """Deliver one event at a time, in order. A failing delivery blocks all later ones"""
    asymmetric: NotRequired[Optional[bool]]
    """Also sign with an ed25519 key pair of this webhook, so that receivers can verify with its public key"""
    frame_ancestors: NotRequired[Optional[Sequence[str]]]
    """Origins of the sites that may show the portal of this webhook in a frame. Empty list or null: none"""


class UpdateWebhookRequest(TypedDict):
    url: NotRequired[Optional[str]]
    events: NotRequired[Optional[Sequence[EventType]]]
    description: NotRequired[Optional[str]]
    retry_delays: NotRequired[Optional[Sequence[float]]]
    """Seconds to wait before each retry. Empty list: no retries. Null: the default retry delays"""
    rate: NotRequired[Optional[float]]
    """Maximum attempts per second, those of retries, replays, resends and tests together. Null: as fast as the endpoint answers"""
    ordered: NotRequired[Optional[bool]]
    """Deliver one event at a time, in order. A failing delivery blocks all later ones"""
    asymmetric: NotRequired[Optional[bool]]
    """Also sign with an ed25519 key pair of this webhook, so that receivers can verify with its public key"""
    frame_ancestors: NotRequired[Optional[Sequence[str]]]
    """Origins of the sites that may show the portal of this webhook in a frame. Empty list or null: none"""
    is_active: NotRequired[Optional[bool]]


class ReplayDeliveriesRequest(TypedDict):
    since: str
    until: NotRequired[Optional[str]]
    """Default: now"""
    status: NotRequired[Optional[Literal["pending", "succeeded", "failed", "held"]]]
    dry_run: NotRequired[Optional[bool]]
    """Only count the deliveries that would be sent"""


class RotateWebhookSecretRequest(TypedDict):
    overlap_hours: NotRequired[Optional[int]]


class MessageData(TypedDict):
    message: Message


class Message(TypedDict):
    id: str
    to: Optional[str]
    """null once it was erased; so is content"""
    channel: Channel
    content: Optional[MessageContent]
    status: MessageStatus
    status_detail: str
    credits_used: float
    segments: Optional[int]
    encoding: Optional[Encoding]
    provider: Optional[str]
    provider_message_id: Optional[str]
    error_code: Optional[str]
    error_message: Optional[str]
    metadata: Optional[Metadata]
    batch_id: Optional[str]
    reference: Optional[str]
    scheduled_at: Optional[str]
    created_at: str
    sent_at: Optional[str]
    delivered_at: Optional[str]
    failed_at: Optional[str]
    read_at: Optional[str]
    fallback_of: NotRequired[Optional[str]]
    """The message that this one was sent instead of"""
    fallback: NotRequired[Optional[MessageFallback]]
    """What is sent when it does not arrive"""


class MessageContent(TypedDict):
    text: str
    subject: NotRequired[str]
    html: NotRequired[str]
    unsubscribe: NotRequired[bool]
    template: NotRequired[MessageTemplate]


class MessageTemplate(TypedDict):
    name: str
    language: str
    variables: NotRequired[Dict[str, Any]]
    header: NotRequired[MessageTemplateHeader]
    buttons: NotRequired[List[MessageTemplateButton]]


class MessageTemplateHeader(TypedDict):
    type: Literal["text", "image", "video", "document"]
    text: NotRequired[str]
    name: NotRequired[str]
    link: NotRequired[str]
    filename: NotRequired[str]


class MessageTemplateButton(TypedDict):
    index: int
    type: Literal["url", "quick_reply"]
    suffix: NotRequired[str]
    payload: NotRequired[str]


class MessageFallback(TypedDict):
    steps: List[MessageFallbackStep]
    outcome: Literal["waiting", "sent", "not_needed", "unaffordable", "unknown"]
    message_id: Optional[str]
    """The message that was sent instead"""


class MessageFallbackStep(TypedDict):
    channel: str
    after: int
    to: Optional[str]


class BatchData(TypedDict):
    batch: Batch


class Batch(TypedDict):
    id: str
    channel: Channel
    status: BatchStatus
    total: int
    accepted: int
    invalid: int
    credits_used: float
    counts: BatchCounts
    rate: Optional[float]
    scheduled_at: Optional[str]
    created_at: str
    completed_at: Optional[str]
    errors: List[SkippedRecipient]


class BatchCounts(TypedDict):
    queued: int
    sent: int
    delivered: int
    failed: int
    read: int


class SkippedRecipient(TypedDict):
    index: int
    field: str
    message: str


class BatchSummaryList(TypedDict):
    batches: List[BatchSummary]
    pagination: Pagination


class BatchSummary(TypedDict):
    id: str
    channel: Channel
    status: BatchStatus
    total: int
    accepted: int
    invalid: int
    credits_used: float
    counts: BatchCounts
    rate: Optional[float]
    scheduled_at: Optional[str]
    created_at: str
    completed_at: Optional[str]


class Pagination(TypedDict):
    total: Optional[int]
    """Null with a cursor"""
    page: int
    """1 with a cursor"""
    pages: Optional[int]
    """0 if the list is empty; null with a cursor"""
    limit: int
    next_cursor: Optional[str]
    """For the next part of the list; null at the end"""


class PreviewData(TypedDict):
    messages: NotRequired[List[PreviewedMessage]]
    credits: float
    fallback: NotRequired[PreviewedFallback]
    """Only where the request has a fallback"""
    warnings: NotRequired[List[Fault]]
    """Probable mistakes of a single send that would be accepted. Present only if there are any"""


class PreviewedMessage(TypedDict):
    to: str
    text: str
    segments: Optional[int]
    encoding: Optional[str]
    credits: float
    errors: List[Fault]


class Fault(TypedDict):
    field: str
    message: str


class PreviewedFallback(TypedDict):
    steps: List[PreviewedFallbackStep]
    credits_max: float
    """Maximum cost of the message and all its steps"""


class PreviewedFallbackStep(TypedDict):
    channel: str
    to: str
    after: int
    segments: Optional[int]
    encoding: Optional[str]
    credits: float
    """What it costs by itself"""


class MessageList(TypedDict):
    messages: List[Message]
    pagination: Pagination


class TimelineData(TypedDict):
    timeline: Timeline


class Timeline(TypedDict):
    message_id: str
    channel: Channel
    status: MessageStatus
    status_detail: str
    workflow_id: str
    """The Temporal workflow of the message"""
    workflow_url: Optional[str]
    """Its page in the Temporal Web UI; null without the setting TEMPORAL_UI_URL"""
    waiting_for: Optional[TimelineWait]
    steps: List[TimelineStep]


class TimelineWait(TypedDict):
    what: Literal["schedule", "batch_resume", "hand_off", "provider_answer", "next_attempt", "report", "webhook_delivery"]
    text: str
    until: Optional[str]


class TimelineStep(TypedDict):
    at: str
    type: Literal["accepted", "charged", "attempt", "sent", "report", "delivered", "read", "failed", "refunded", "fallback", "event", "delivery"]
    text: str
    details: Dict[str, Any]


class Balance(TypedDict):
    balance: float
    currency_of_credits: Optional[str]
    """Currency of the credit packages; null if none are for sale"""
    spend_today: float
    """Credits debited since midnight UTC, minus their refunds"""
    spend_limit_day: Optional[float]


Usage = TypedDict(
    "Usage",
    {
        "from": "str",
        "to": "str",
        "by": "Literal['day', 'channel']",
        "messages": "int",
        "delivered": "int",
        "failed": "int",
        "credits": "float",
        "usage": "List[UsagePart]",
    },
)


class UsagePart(TypedDict):
    day: NotRequired[str]
    """Day in UTC; present with `by=day`"""
    channel: NotRequired[Channel]
    messages: int
    delivered: int
    """Includes messages that were read"""
    failed: int
    credits: float
    """Credits debited minus refunds"""


class ContactData(TypedDict):
    contact: Contact


class Contact(TypedDict):
    id: str
    name: Optional[str]
    phone: Optional[str]
    email: Optional[str]
    tags: List[str]
    custom_fields: Dict[str, Any]
    created_at: str
    updated_at: str


class ContactList(TypedDict):
    contacts: List[Contact]
    pagination: Pagination


class ConfirmationData(TypedDict):
    message: str


class CreatedWebhookData(TypedDict):
    webhook: CreatedWebhook
    secret: str
    warning: str


class CreatedWebhook(TypedDict):
    id: str
    url: str
    events: List[EventType]
    is_active: bool
    created_at: str
    retry_delays: NotRequired[Optional[List[int]]]
    rate: NotRequired[Optional[float]]
    ordered: NotRequired[bool]
    asymmetric: NotRequired[bool]
    public_key: NotRequired[Optional[str]]
    frame_ancestors: NotRequired[List[str]]


class WebhookList(TypedDict):
    webhooks: List[Webhook]
    pagination: Pagination


class Webhook(TypedDict):
    id: str
    url: str
    events: List[EventType]
    is_active: bool
    created_at: str
    retry_delays: Optional[List[int]]
    rate: Optional[float]
    ordered: bool
    asymmetric: bool
    public_key: Optional[str]
    frame_ancestors: List[str]
    description: Optional[str]
    updated_at: str
    disabled_reason: Optional[str]
    failing_since: Optional[str]


class EventTypeList(TypedDict):
    events: List[EventTypeInfo]


class EventTypeInfo(TypedDict):
    type: EventType
    description: str


class WebhookData(TypedDict):
    webhook: Webhook


class DeliveryList(TypedDict):
    deliveries: List[Delivery]
    pagination: Pagination


class Delivery(TypedDict):
    id: str
    webhook_id: str
    event: str
    message_id: Optional[str]
    status: Literal["pending", "succeeded", "failed", "held"]
    attempts: List[DeliveryAttempt]
    next_attempt_at: Optional[str]
    created_at: str
    delivered_at: Optional[str]


class DeliveryAttempt(TypedDict):
    number: int
    at: str
    trigger: Literal["scheduled", "manual", "replay", "test"]
    response_status: Optional[int]
    error: Optional[str]
    duration_ms: int
    response_body: Optional[str]
    url: Optional[str]
    request_headers: Optional[Dict[str, Any]]
    response_headers: Optional[Dict[str, Any]]
    timings: Optional[AttemptTimings]
    remote_address: Optional[str]


class AttemptTimings(TypedDict):
    dns_ms: Optional[int]
    connect_ms: Optional[int]
    tls_ms: Optional[int]
    first_byte_ms: Optional[int]
    total_ms: int


class DeliveryData(TypedDict):
    delivery: Delivery


class StartedReplayData(TypedDict):
    replay: StartedReplay


class StartedReplay(TypedDict):
    webhook_id: str
    since: str
    until: str
    statuses: List[Literal["pending", "succeeded", "failed", "held"]]
    matched: Optional[int]
    """Null if there are too many to count: more than 200,000"""
    attempted: int
    acknowledged: int
    ended_at: Optional[str]
    id: Optional[str]
    status: Literal["counted", "running", "completed", "cancelled", "stopped"]
    created_at: Optional[str]


class ReplayList(TypedDict):
    replays: List[Replay]
    pagination: Pagination


class Replay(TypedDict):
    id: str
    webhook_id: str
    since: str
    until: str
    statuses: List[Literal["pending", "succeeded", "failed", "held"]]
    matched: Optional[int]
    """Null if there are too many to count: more than 200,000"""
    attempted: int
    acknowledged: int
    status: Literal["running", "completed", "cancelled", "stopped"]
    created_at: str
    ended_at: Optional[str]


class ReplayData(TypedDict):
    replay: Replay


class RotatedWebhookData(TypedDict):
    webhook: Webhook
    secret: str
    warning: str


class WebhookPortalData(TypedDict):
    portal: WebhookPortal


class WebhookPortal(TypedDict):
    url: str
    expires_at: str


class WebhookPublicKeyData(TypedDict):
    public_key: Optional[str]
    previous: Optional[PreviousPublicKey]


class PreviousPublicKey(TypedDict):
    public_key: Optional[str]
    until: str


class MessageQueuedEvent(TypedDict):
    event: Literal["message.queued"]
    timestamp: str
    data: MessageQueuedEventData


class MessageQueuedEventData(TypedDict):
    message_id: str
    channel: Channel
    recipient: str
    """Phone number or e-mail address"""
    status: Literal["queued"]
    credits_used: float
    reference: NotRequired[str]
    """Present if the message has a reference"""
    batch_id: NotRequired[str]
    """Present if the message belongs to a bulk send"""
    metadata: NotRequired[Dict[str, Any]]
    """Present if the message has metadata"""


class MessageSentEvent(TypedDict):
    event: Literal["message.sent"]
    timestamp: str
    data: MessageSentEventData


class MessageSentEventData(TypedDict):
    message_id: str
    channel: Channel
    recipient: str
    """Phone number or e-mail address"""
    status: Literal["sent"]
    credits_used: float
    provider_message_id: str
    reference: NotRequired[str]
    """Present if the message has a reference"""
    batch_id: NotRequired[str]
    """Present if the message belongs to a bulk send"""
    metadata: NotRequired[Dict[str, Any]]
    """Present if the message has metadata"""


class MessageDeliveredEvent(TypedDict):
    event: Literal["message.delivered"]
    timestamp: str
    data: MessageDeliveredEventData


class MessageDeliveredEventData(TypedDict):
    message_id: str
    channel: Channel
    recipient: str
    """Phone number or e-mail address"""
    status: Literal["delivered"]
    provider_message_id: str
    delivered_at: str
    reference: NotRequired[str]
    """Present if the message has a reference"""
    batch_id: NotRequired[str]
    """Present if the message belongs to a bulk send"""
    metadata: NotRequired[Dict[str, Any]]
    """Present if the message has metadata"""


class MessageFailedEvent(TypedDict):
    event: Literal["message.failed"]
    timestamp: str
    data: MessageFailedEventData


class MessageFailedEventData(TypedDict):
    message_id: str
    channel: Channel
    recipient: str
    """Phone number or e-mail address"""
    status: Literal["failed"]
    provider_message_id: NotRequired[str]
    """Absent if no provider accepted the message"""
    error_code: str
    """30006, 30007, 30008, 30034, undeliverable, cancelled, expired or suppressed"""
    error_message: str
    reference: NotRequired[str]
    """Present if the message has a reference"""
    batch_id: NotRequired[str]
    """Present if the message belongs to a bulk send"""
    metadata: NotRequired[Dict[str, Any]]
    """Present if the message has metadata"""


class ListBatchesQuery(TypedDict):
    limit: NotRequired[int]


class ListMessagesQuery(TypedDict):
    limit: NotRequired[int]
    status: NotRequired[MessageStatus]
    channel: NotRequired[Channel]
    to: NotRequired[str]
    reference: NotRequired[str]
    batch_id: NotRequired[str]
    start_date: NotRequired[str]
    end_date: NotRequired[str]


class ListContactsQuery(TypedDict):
    limit: NotRequired[int]
    search: NotRequired[str]
    """Part of a name, phone number or e-mail address"""
    tag: NotRequired[str]
    """Exact tag"""


class ListWebhooksQuery(TypedDict):
    limit: NotRequired[int]


class ListDeliveriesQuery(TypedDict):
    limit: NotRequired[int]
    status: NotRequired[str]
    event: NotRequired[Literal["message.queued", "message.sent", "message.delivered", "message.failed", "webhook.test"]]
    message_id: NotRequired[str]
    since: NotRequired[str]
    until: NotRequired[str]


class ListReplaysQuery(TypedDict):
    limit: NotRequired[int]
