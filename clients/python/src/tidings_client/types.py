"""Types of requests and answers. Generated from the OpenAPI document by `npm run generate`: do not edit it."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from typing_extensions import Literal, NotRequired, TypedDict

SendMessageRequest = Union["SendToPhone", "SendToEmailAddress", "SendToContact", "SendToAnyChannel"]

TemplateHeader = Union["TemplateTextHeader", "TemplateImageHeader", "TemplateVideoHeader", "TemplateDocumentHeader"]

TemplateButton = Union["TemplateUrlButton", "TemplateQuickReplyButton"]

Metadata = Mapping[str, Any]

Channel = Literal["sms", "whatsapp", "email"]

SendBulkRequest = Union["BulkToRecipients", "BulkToTag"]

BulkRecipient = Union[str, "RecipientByAddress", "RecipientByContact"]

PreviewMessagesRequest = Union["SendToPhone", "SendToEmailAddress", "SendToContact", "BulkToRecipients", "BulkToTag", "SendToAnyChannel"]

SuppressionReason = Literal["opt_out", "complaint", "bounce", "manual"]

EventType = Literal["message.queued", "message.sent", "message.delivered", "message.failed"]

MessageStatus = Literal["queued", "sent", "delivered", "failed", "read"]

Encoding = Literal["GSM-7", "UCS-2"]

BatchStatus = Literal["scheduled", "sending", "paused", "completed", "cancelled"]

SuppressionSource = Literal["api", "inbound", "provider", "report", "unsubscribe"]


class SendToPhone(TypedDict):
    to: str
    """Phone number in E.164 format"""
    channel: Literal["sms", "whatsapp"]
    content: PhoneContent
    variables: NotRequired[Optional[Mapping[str, Any]]]
    """Values of the placeholders {{ name }} and {{ name | fallback }} in the content, which are replaced as in a bulk send. Then the limits of texts apply to the texts with the values. Without variables the content is sent literally. Texts, numbers and booleans; null counts as absent. Numbers from -9007199254740991 to 9007199254740991; send larger ones as strings"""
    metadata: NotRequired[Optional[Metadata]]
    """At most 4,096 bytes as JSON, 50 keys, 5 levels. Numbers from -9007199254740991 to 9007199254740991; send larger ones as strings. The keys `__proto__`, `constructor`, `prototype` are refused at any level"""
    reference: NotRequired[Optional[str]]
    """Your own reference, for example an order number"""
    scheduled_at: NotRequired[Optional[str]]
    """At most 30 days ahead; a time in the past means now"""
    expires_at: NotRequired[Optional[str]]
    """A message that was not handed to a carrier by this time fails with the error code `expired`"""
    fallback: NotRequired[Optional[Sequence[FallbackStep]]]
    """Messages to send instead, in order, if the message fails or is not delivered in time. Not used after a cancel or an expiry. Each step is a message of its own, with the parts of the content that its channel supports. The whole chain costs at most as much as its most expensive step"""


class PhoneContent(TypedDict):
    text: str
    """At most 1600 characters, with the values of variables"""
    subject: NotRequired[Optional[str]]
    """email only: one line of at most 998 characters, with the values of variables"""
    html: NotRequired[Optional[str]]
    """email only"""
    unsubscribe: NotRequired[Optional[bool]]
    """email only: adds the headers for unsubscribing with one click (RFC 8058)"""
    template: NotRequired[Optional[Template]]
    """whatsapp only: the approved template that is sent instead of the text. Recipients who have not written to you in the last 24 hours can be reached only with a template"""


class Template(TypedDict):
    name: str
    """The name approved by Meta; with Twilio the SID of the content (HX…)"""
    language: str
    """Language code, for example en_US"""
    variables: NotRequired[Optional[Mapping[str, str]]]
    """Values for the variables of the body, by name or by number from 1, as in the template; at most 50. With Twilio, for the variables of all parts: header and buttons are omitted"""
    header: NotRequired[Optional[TemplateHeader]]
    buttons: NotRequired[Optional[Sequence[TemplateButton]]]
    """Values for buttons by their position, counted from 0: the end of a URL, or the payload that comes back when a quick reply is pressed"""


class TemplateTextHeader(TypedDict):
    type: Literal["text"]
    text: str
    """One line of at most 60 characters, with the values of variables"""
    name: NotRequired[Optional[str]]
    """The name of the variable, if the variables of the template have names"""


class TemplateImageHeader(TypedDict):
    type: Literal["image"]
    link: str
    """An http or https URL of at most 2048 characters, with the values of variables"""


class TemplateVideoHeader(TypedDict):
    type: Literal["video"]
    link: str
    """An http or https URL of at most 2048 characters, with the values of variables"""


class TemplateDocumentHeader(TypedDict):
    type: Literal["document"]
    link: str
    """An http or https URL of at most 2048 characters, with the values of variables"""
    filename: NotRequired[Optional[str]]
    """One line of at most 240 characters, with the values of variables"""


class TemplateUrlButton(TypedDict):
    index: int
    type: Literal["url"]
    suffix: str
    """One line of at most 2000 characters, with the values of variables"""


class TemplateQuickReplyButton(TypedDict):
    index: int
    type: Literal["quick_reply"]
    payload: str
    """At most 256 characters, with the values of variables"""


class FallbackStep(TypedDict):
    channel: Channel
    to: NotRequired[Optional[str]]
    """Default: the recipient of the message if this channel can reach it; with `contact_id`, the address of the contact"""
    after: int
    """Seconds within which the previous message must be delivered, from its acceptance or its `scheduled_at`"""


class SendToEmailAddress(TypedDict):
    to: str
    """E-mail address"""
    channel: Literal["email"]
    content: Content
    variables: NotRequired[Optional[Mapping[str, Any]]]
    """Values of the placeholders {{ name }} and {{ name | fallback }} in the content, which are replaced as in a bulk send. Then the limits of texts apply to the texts with the values. Without variables the content is sent literally. Texts, numbers and booleans; null counts as absent. Numbers from -9007199254740991 to 9007199254740991; send larger ones as strings"""
    metadata: NotRequired[Optional[Metadata]]
    """At most 4,096 bytes as JSON, 50 keys, 5 levels. Numbers from -9007199254740991 to 9007199254740991; send larger ones as strings. The keys `__proto__`, `constructor`, `prototype` are refused at any level"""
    reference: NotRequired[Optional[str]]
    """Your own reference, for example an order number"""
    scheduled_at: NotRequired[Optional[str]]
    """At most 30 days ahead; a time in the past means now"""
    expires_at: NotRequired[Optional[str]]
    """A message that was not handed to a carrier by this time fails with the error code `expired`"""
    fallback: NotRequired[Optional[Sequence[FallbackStep]]]
    """Messages to send instead, in order, if the message fails or is not delivered in time. Not used after a cancel or an expiry. Each step is a message of its own, with the parts of the content that its channel supports. The whole chain costs at most as much as its most expensive step"""


class Content(TypedDict):
    text: str
    subject: NotRequired[Optional[str]]
    """email only: one line of at most 998 characters, with the values of variables"""
    html: NotRequired[Optional[str]]
    """email only"""
    unsubscribe: NotRequired[Optional[bool]]
    """email only: adds the headers for unsubscribing with one click (RFC 8058)"""
    template: NotRequired[Optional[Template]]
    """whatsapp only: the approved template that is sent instead of the text. Recipients who have not written to you in the last 24 hours can be reached only with a template"""


class SendToContact(TypedDict):
    contact_id: str
    """The id of a contact, instead of `to`. Its phone number is used, or its e-mail address for email"""
    channel: Channel
    content: Content
    variables: NotRequired[Optional[Mapping[str, Any]]]
    """Values of the placeholders {{ name }} and {{ name | fallback }} in the content, which are replaced as in a bulk send. Then the limits of texts apply to the texts with the values. Without variables the content is sent literally. Texts, numbers and booleans; null counts as absent. Numbers from -9007199254740991 to 9007199254740991; send larger ones as strings"""
    metadata: NotRequired[Optional[Metadata]]
    """At most 4,096 bytes as JSON, 50 keys, 5 levels. Numbers from -9007199254740991 to 9007199254740991; send larger ones as strings. The keys `__proto__`, `constructor`, `prototype` are refused at any level"""
    reference: NotRequired[Optional[str]]
    """Your own reference, for example an order number"""
    scheduled_at: NotRequired[Optional[str]]
    """At most 30 days ahead; a time in the past means now"""
    expires_at: NotRequired[Optional[str]]
    """A message that was not handed to a carrier by this time fails with the error code `expired`"""
    fallback: NotRequired[Optional[Sequence[FallbackStep]]]
    """Messages to send instead, in order, if the message fails or is not delivered in time. Not used after a cancel or an expiry. Each step is a message of its own, with the parts of the content that its channel supports. The whole chain costs at most as much as its most expensive step"""


class SendToAnyChannel(TypedDict):
    to: str
    """Phone number in E.164 format, or e-mail address"""
    channel: Channel
    content: Content
    variables: NotRequired[Optional[Mapping[str, Any]]]
    """Values of the placeholders {{ name }} and {{ name | fallback }} in the content, which are replaced as in a bulk send. Then the limits of texts apply to the texts with the values. Without variables the content is sent literally. Texts, numbers and booleans; null counts as absent. Numbers from -9007199254740991 to 9007199254740991; send larger ones as strings"""
    metadata: NotRequired[Optional[Metadata]]
    """At most 4,096 bytes as JSON, 50 keys, 5 levels. Numbers from -9007199254740991 to 9007199254740991; send larger ones as strings. The keys `__proto__`, `constructor`, `prototype` are refused at any level"""
    reference: NotRequired[Optional[str]]
    """Your own reference, for example an order number"""
    scheduled_at: NotRequired[Optional[str]]
    """At most 30 days ahead; a time in the past means now"""
    expires_at: NotRequired[Optional[str]]
    """A message that was not handed to a carrier by this time fails with the error code `expired`"""
    fallback: NotRequired[Optional[Sequence[FallbackStep]]]
    """Messages to send instead, in order, if the message fails or is not delivered in time. Not used after a cancel or an expiry. Each step is a message of its own, with the parts of the content that its channel supports. The whole chain costs at most as much as its most expensive step"""


class BulkToRecipients(TypedDict):
    channel: Channel
    content: BulkContent
    recipients: Sequence[BulkRecipient]
    metadata: NotRequired[Optional[Metadata]]
    """At most 4,096 bytes as JSON, 50 keys, 5 levels. Numbers from -9007199254740991 to 9007199254740991; send larger ones as strings. The keys `__proto__`, `constructor`, `prototype` are refused at any level"""
    reference: NotRequired[Optional[str]]
    """Your own reference, for example an order number"""
    scheduled_at: NotRequired[Optional[str]]
    """At most 30 days ahead; a time in the past means now"""
    expires_at: NotRequired[Optional[str]]
    """A message that was not handed to a carrier by this time fails with the error code `expired`"""
    rate: NotRequired[Optional[float]]
    """Maximum messages per second. Default: as many as the carrier accepts"""
    on_invalid: NotRequired[Optional[Literal["reject", "skip"]]]
    """reject (default): an invalid recipient causes a 400, and nothing is sent; skip: invalid recipients are skipped"""
    allow_duplicates: NotRequired[Optional[bool]]
    """Send to a recipient as often as it is listed. Default: once"""


class BulkContent(TypedDict):
    text: str
    """Placeholders: {{ name }}, {{ name | fallback }}; \\{{ is a literal {{"""
    subject: NotRequired[Optional[str]]
    html: NotRequired[Optional[str]]
    """email only"""
    unsubscribe: NotRequired[Optional[bool]]
    """email only: adds the headers for unsubscribing with one click (RFC 8058)"""
    template: NotRequired[Optional[Template]]
    """whatsapp only: the approved template that is sent instead of the text. Recipients who have not written to you in the last 24 hours can be reached only with a template"""


class RecipientByAddress(TypedDict):
    to: str
    variables: NotRequired[Optional[Mapping[str, Any]]]
    """Texts, numbers and booleans; null counts as absent. Numbers from -9007199254740991 to 9007199254740991; send larger ones as strings"""
    metadata: NotRequired[Optional[Mapping[str, Any]]]
    """At most 4,096 bytes as JSON, 50 keys, 5 levels. Numbers from -9007199254740991 to 9007199254740991; send larger ones as strings. The keys `__proto__`, `constructor`, `prototype` are refused at any level"""
    reference: NotRequired[Optional[str]]


class RecipientByContact(TypedDict):
    contact_id: str
    to: NotRequired[Optional[str]]
    """Absent or empty"""
    variables: NotRequired[Optional[Mapping[str, Any]]]
    """Texts, numbers and booleans; null counts as absent. Numbers from -9007199254740991 to 9007199254740991; send larger ones as strings"""
    metadata: NotRequired[Optional[Mapping[str, Any]]]
    """At most 4,096 bytes as JSON, 50 keys, 5 levels. Numbers from -9007199254740991 to 9007199254740991; send larger ones as strings. The keys `__proto__`, `constructor`, `prototype` are refused at any level"""
    reference: NotRequired[Optional[str]]


class BulkToTag(TypedDict):
    channel: Channel
    content: BulkContent
    tag: str
    """Instead of recipients: all contacts with this tag that the channel reaches"""
    metadata: NotRequired[Optional[Metadata]]
    """At most 4,096 bytes as JSON, 50 keys, 5 levels. Numbers from -9007199254740991 to 9007199254740991; send larger ones as strings. The keys `__proto__`, `constructor`, `prototype` are refused at any level"""
    reference: NotRequired[Optional[str]]
    """Your own reference, for example an order number"""
    scheduled_at: NotRequired[Optional[str]]
    """At most 30 days ahead; a time in the past means now"""
    expires_at: NotRequired[Optional[str]]
    """A message that was not handed to a carrier by this time fails with the error code `expired`"""
    rate: NotRequired[Optional[float]]
    """Maximum messages per second. Default: as many as the carrier accepts"""
    on_invalid: NotRequired[Optional[Literal["reject", "skip"]]]
    """reject (default): an invalid recipient causes a 400, and nothing is sent; skip: invalid recipients are skipped"""
    allow_duplicates: NotRequired[Optional[bool]]
    """Send to a recipient as often as it is listed. Default: once"""


class CreateContactRequest(TypedDict):
    name: NotRequired[Optional[str]]
    phone: NotRequired[Optional[str]]
    """E.164"""
    email: NotRequired[Optional[str]]
    tags: NotRequired[Optional[Sequence[str]]]
    custom_fields: NotRequired[Optional[Mapping[str, Any]]]
    """At most 4,096 bytes as JSON, 50 keys, 5 levels. Numbers from -9007199254740991 to 9007199254740991; send larger ones as strings. The keys `__proto__`, `constructor`, `prototype` are refused at any level"""


class UpdateContactRequest(TypedDict):
    name: NotRequired[Optional[str]]
    phone: NotRequired[Optional[str]]
    """E.164"""
    email: NotRequired[Optional[str]]
    tags: NotRequired[Optional[Sequence[str]]]
    custom_fields: NotRequired[Optional[Mapping[str, Any]]]
    """At most 4,096 bytes as JSON, 50 keys, 5 levels. Numbers from -9007199254740991 to 9007199254740991; send larger ones as strings. The keys `__proto__`, `constructor`, `prototype` are refused at any level"""


class CreateSuppressionRequest(TypedDict):
    channel: Channel
    recipient: str
    """E.164 phone number, or the e-mail address on the channel email"""
    reason: NotRequired[Optional[SuppressionReason]]
    """Default: manual"""
    expires_at: NotRequired[Optional[str]]
    """Default: the suppression does not expire"""


class CreateWebhookRequest(TypedDict):
    url: str
    events: Sequence[EventType]
    description: NotRequired[Optional[str]]
    retry_delays: NotRequired[Optional[Sequence[int]]]
    """Seconds to wait before each retry. Empty list: no retries. Null: the default retry delays"""
    rate: NotRequired[Optional[float]]
    """Maximum attempts per second, including retries, replays, resends and tests. Null: as fast as the endpoint responds"""
    ordered: NotRequired[Optional[bool]]
    """Deliver one event at a time, in order. A failing delivery blocks all later ones. Replays, resends and tests do not follow this order: new events can overtake what is replayed"""
    asymmetric: NotRequired[Optional[bool]]
    """Also sign with an ed25519 key pair of this webhook, so that receivers can verify with its public key"""
    frame_ancestors: NotRequired[Optional[Sequence[str]]]
    """Origins of the sites that may show the portal of this webhook in a frame. Empty list or null: none"""


class UpdateWebhookRequest(TypedDict):
    url: NotRequired[Optional[str]]
    events: NotRequired[Optional[Sequence[EventType]]]
    description: NotRequired[Optional[str]]
    retry_delays: NotRequired[Optional[Sequence[int]]]
    """Seconds to wait before each retry. Empty list: no retries. Null: the default retry delays"""
    rate: NotRequired[Optional[float]]
    """Maximum attempts per second, including retries, replays, resends and tests. Null: as fast as the endpoint responds"""
    ordered: NotRequired[Optional[bool]]
    """Deliver one event at a time, in order. A failing delivery blocks all later ones. Replays, resends and tests do not follow this order: new events can overtake what is replayed"""
    asymmetric: NotRequired[Optional[bool]]
    """Also sign with an ed25519 key pair of this webhook, so that receivers can verify with its public key"""
    frame_ancestors: NotRequired[Optional[Sequence[str]]]
    """Origins of the sites that may show the portal of this webhook in a frame. Empty list or null: none"""
    is_active: NotRequired[Optional[bool]]


class ReplayDeliveriesRequest(TypedDict):
    since: str
    until: NotRequired[Optional[str]]
    """Default: now; a later time means now"""
    status: NotRequired[Optional[Literal["pending", "succeeded", "failed", "held"]]]
    dry_run: NotRequired[Optional[bool]]
    """Only count the deliveries that would be sent. Default: false"""


class RotateWebhookSecretRequest(TypedDict):
    overlap_hours: NotRequired[Optional[int]]
    """Hours for which the old key or secret keeps working. 0 ends it at once. Default: 24"""


class MessageData(TypedDict):
    message: Message


class Message(TypedDict):
    id: str
    to: Optional[str]
    """Null after its erasure, as is `content`"""
    channel: Channel
    content: Optional[MessageContent]
    status: MessageStatus
    status_detail: str
    """More precise than `status`. One of: scheduled, accepted, sending, awaiting_report, delivered, read, rejected, undeliverable, expired, cancelled, suppressed, unknown"""
    credits_used: float
    """The final cost: 0 after a refund"""
    segments: Optional[int]
    """Parts in which the carrier sends an SMS. They do not change the price"""
    encoding: Optional[Encoding]
    provider: Optional[str]
    provider_message_id: Optional[str]
    error_code: Optional[str]
    """Null if it has not failed. One of: 30006, 30007, 30008, 30034, undeliverable, suppressed, outside_window, invalid_template, invalid_content, region_not_permitted, limit_exceeded, sender_refused, cancelled, expired, suspended, unverified, provider_unavailable, handoff_unknown"""
    error_message: Optional[str]
    metadata: Optional[Metadata]
    batch_id: Optional[str]
    reference: Optional[str]
    scheduled_at: Optional[str]
    expires_at: Optional[str]
    created_at: str
    sent_at: Optional[str]
    delivered_at: Optional[str]
    failed_at: Optional[str]
    read_at: Optional[str]
    fallback_of: NotRequired[Optional[str]]
    """The id of the message that this one was sent instead of"""
    fallback: NotRequired[Optional[MessageFallback]]
    """What is sent if the message fails or is not delivered in time"""


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
    """The id of the message that was sent instead; null if none was"""


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
    """Present only if the request has a fallback"""
    warnings: NotRequired[List[Fault]]
    """Probable mistakes of a send that would be accepted; for a bulk send with the number of messages. Present only if there are any"""


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
    """The most that the message and all its steps can cost together"""


class PreviewedFallbackStep(TypedDict):
    channel: str
    to: str
    after: int
    segments: Optional[int]
    encoding: Optional[str]
    credits: float
    """The price of this step alone"""


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
    """One of: scheduled, accepted, sending, awaiting_report, delivered, read, rejected, undeliverable, expired, cancelled, suppressed, unknown"""
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
    """Null if no time ends the wait, or if that time is over"""


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


class SuppressionData(TypedDict):
    suppression: Suppression


class Suppression(TypedDict):
    id: str
    channel: Channel
    recipient: Optional[str]
    """Null after an erasure. The suppression stays in effect through a digest"""
    reason: SuppressionReason
    source: SuppressionSource
    message_id: Optional[str]
    expires_at: Optional[str]
    created_at: str


class SuppressionList(TypedDict):
    suppressions: List[Suppression]
    pagination: Pagination


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
    """One of: message.queued, message.sent, message.delivered, message.failed, webhook.test"""
    message_id: Optional[str]
    status: Literal["pending", "succeeded", "failed", "held"]
    attempts: List[DeliveryAttempt]
    next_attempt_at: Optional[str]
    """When the next attempt is due. Null if none follows, or if the delivery of an ordered webhook waits for its turn"""
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
    """Phone number or e-mail address; empty in a correction that comes after an erasure"""
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
    """Phone number or e-mail address; empty in a correction that comes after an erasure"""
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
    """Phone number or e-mail address; empty in a correction that comes after an erasure"""
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
    """Phone number or e-mail address; empty in a correction that comes after an erasure"""
    status: Literal["failed"]
    provider_message_id: NotRequired[str]
    """Absent if no carrier accepted the message"""
    error_code: str
    """One of: 30006, 30007, 30008, 30034, undeliverable, suppressed, outside_window, invalid_template, invalid_content, region_not_permitted, limit_exceeded, sender_refused, cancelled, expired, suspended, unverified, provider_unavailable, handoff_unknown"""
    error_message: str
    reference: NotRequired[str]
    """Present if the message has a reference"""
    batch_id: NotRequired[str]
    """Present if the message belongs to a bulk send"""
    metadata: NotRequired[Dict[str, Any]]
    """Present if the message has metadata"""


class WebhookTestEvent(TypedDict):
    event: Literal["webhook.test"]
    timestamp: str
    data: WebhookTestEventData


class WebhookTestEventData(TypedDict):
    webhook_id: str


class ListBatchesQuery(TypedDict):
    limit: NotRequired[int]
    """Items per page"""


class ListMessagesQuery(TypedDict):
    limit: NotRequired[int]
    """Items per page"""
    status: NotRequired[MessageStatus]
    """Only messages with this status"""
    channel: NotRequired[Channel]
    """Only messages on this channel"""
    to: NotRequired[str]
    """Exact phone number, or e-mail address in any letter case"""
    reference: NotRequired[str]
    """Exact reference"""
    batch_id: NotRequired[str]
    """Only messages of this bulk send"""
    start_date: NotRequired[str]
    """Start of the period. A date without a time means the start of that day (UTC)"""
    end_date: NotRequired[str]
    """End of the period. A date without a time means the end of that day (UTC)"""


class ListContactsQuery(TypedDict):
    limit: NotRequired[int]
    """Items per page"""
    search: NotRequired[str]
    """Part of a name, phone number or e-mail address"""
    tag: NotRequired[str]
    """Exact tag"""


class ListSuppressionsQuery(TypedDict):
    limit: NotRequired[int]
    """Items per page"""
    channel: NotRequired[Channel]
    """Only suppressions on this channel"""
    recipient: NotRequired[str]
    """Exact phone number, or e-mail address in any letter case"""
    reason: NotRequired[SuppressionReason]
    """Only suppressions for this reason"""


class ListWebhooksQuery(TypedDict):
    limit: NotRequired[int]
    """Items per page"""


class ListDeliveriesQuery(TypedDict):
    limit: NotRequired[int]
    """Items per page"""
    status: NotRequired[str]
    """One or several, separated by commas. `failed,held` are the deliveries that were not delivered"""
    event: NotRequired[Literal["message.queued", "message.sent", "message.delivered", "message.failed", "webhook.test"]]
    """Only deliveries of this type of event"""
    message_id: NotRequired[str]
    """Only deliveries of events of this message"""
    since: NotRequired[str]
    """Start of the period. A date without a time means the start of that day (UTC)"""
    until: NotRequired[str]
    """End of the period. A date without a time means the end of that day (UTC)"""


class ListReplaysQuery(TypedDict):
    limit: NotRequired[int]
    """Items per page"""
