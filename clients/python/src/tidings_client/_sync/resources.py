# Generated from _async by `npm run generate`: do not edit it.
"""Contacts, suppressions and webhooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, cast

from .. import types
from .._request import Request, segment
from .lists import Pages
from .transport import Transport

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Contacts:
    """Needs a key with the scope `manage_contacts`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, contact: types.CreateContactRequest) -> types.Contact:
        """Not repeated after a lost answer: look for the contact before you try again."""
        call = self._transport.call(Request("POST", "/contacts", body=contact))
        return cast(types.ContactData, call)["contact"]

    def get(self, id: str) -> types.Contact:
        call = self._transport.call(Request("GET", f"/contacts/{segment(id)}"))
        return cast(types.ContactData, call)["contact"]

    def list(self, **filters: Unpack[types.ListContactsQuery]) -> Pages[types.Contact]:
        """The contacts, newest first. `limit` is the size of a page, not of the list."""
        return Pages(self._transport, "/contacts", "contacts", filters)

    def update(self, id: str, changes: types.UpdateContactRequest) -> types.Contact:
        """Change the given fields; None clears a field."""
        call = self._transport.call(Request("PUT", f"/contacts/{segment(id)}", body=changes))
        return cast(types.ContactData, call)["contact"]

    def delete(self, id: str) -> None:
        """A repetition after a lost answer is 404."""
        self._transport.call(Request("DELETE", f"/contacts/{segment(id)}"))


class Suppressions:
    """Needs a key with the scope `manage_contacts`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, suppression: types.CreateSuppressionRequest) -> types.Suppression:
        """The recipient gets no messages on the channel. A repetition changes nothing."""
        request = Request("POST", "/suppressions", body=suppression, is_repeatable=True)
        return cast(types.SuppressionData, self._transport.call(request))["suppression"]

    def get(self, id: str) -> types.Suppression:
        call = self._transport.call(Request("GET", f"/suppressions/{segment(id)}"))
        return cast(types.SuppressionData, call)["suppression"]

    def list(self, **filters: Unpack[types.ListSuppressionsQuery]) -> Pages[types.Suppression]:
        """The suppressions in effect, newest first. `limit` is the size of a page, not of the list."""
        return Pages(self._transport, "/suppressions", "suppressions", filters)

    def delete(self, id: str) -> None:
        """Only the recipient can end what the recipient asked for: 409. A repetition after a lost answer is 404."""
        self._transport.call(Request("DELETE", f"/suppressions/{segment(id)}"))


class Webhooks:
    """Needs a key with the scope `manage_webhooks`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, webhook: types.CreateWebhookRequest) -> types.CreatedWebhookData:
        """The answer has the secret, which is shown only once.

        Not repeated after a lost answer: it would make a second webhook.
        """
        call = self._transport.call(Request("POST", "/webhooks", body=webhook))
        return cast(types.CreatedWebhookData, call)

    def get(self, id: str) -> types.Webhook:
        call = self._transport.call(Request("GET", f"/webhooks/{segment(id)}"))
        return cast(types.WebhookData, call)["webhook"]

    def list(self, **filters: Unpack[types.ListWebhooksQuery]) -> Pages[types.Webhook]:
        """The webhooks, newest first. `limit` is the size of a page, not of the list."""
        return Pages(self._transport, "/webhooks", "webhooks", filters)

    def update(self, id: str, changes: types.UpdateWebhookRequest) -> types.Webhook:
        """Change the given fields."""
        call = self._transport.call(Request("PUT", f"/webhooks/{segment(id)}", body=changes))
        return cast(types.WebhookData, call)["webhook"]

    def delete(self, id: str) -> None:
        """A repetition after a lost answer is 404."""
        self._transport.call(Request("DELETE", f"/webhooks/{segment(id)}"))

    def events(self) -> List[types.EventTypeInfo]:
        """The types of events that a webhook can have."""
        call = self._transport.call(Request("GET", "/webhooks/events"))
        return cast(types.EventTypeList, call)["events"]

    def test(self, id: str) -> Any:
        """Send a test event. Not repeated after a lost answer."""
        return self._transport.call(Request("POST", f"/webhooks/{segment(id)}/test"))

    def rotate_secret(self, id: str, *, overlap_hours: Optional[int] = None) -> types.RotatedWebhookData:
        """The answer has the new secret. Not repeated after a lost answer, which had the secret in it: rotate again.

        That ends the overlap: a receiver with the original secret alone then refuses the events.
        """
        body: Dict[str, Any] = {} if overlap_hours is None else {"overlap_hours": overlap_hours}
        call = self._transport.call(Request("POST", f"/webhooks/{segment(id)}/rotate-secret", body=body))
        return cast(types.RotatedWebhookData, call)

    def portal(self, id: str) -> types.WebhookPortal:
        """A link for the owner of the receiver: for an hour, it shows this webhook and its deliveries."""
        call = self._transport.call(Request("POST", f"/webhooks/{segment(id)}/portal"))
        return cast(types.WebhookPortalData, call)["portal"]

    def public_key(self, id: str) -> types.WebhookPublicKeyData:
        """The public key of an asymmetric webhook (otherwise None), and the previous one during a rotation."""
        call = self._transport.call(Request("GET", f"/webhooks/{segment(id)}/public-key"))
        return cast(types.WebhookPublicKeyData, call)

    def deliveries(self, id: str, **filters: Unpack[types.ListDeliveriesQuery]) -> Pages[types.Delivery]:
        """What was sent to a webhook, newest first. `limit` is the size of a page, not of the list."""
        return Pages(self._transport, f"/webhooks/{segment(id)}/deliveries", "deliveries", filters)

    def resend(self, id: str, delivery_id: str) -> Any:
        """Send a delivery again. Not repeated after a lost answer."""
        path = f"/webhooks/{segment(id)}/deliveries/{segment(delivery_id)}/resend"
        return self._transport.call(Request("POST", path))

    def replay(self, id: str, period: types.ReplayDeliveriesRequest) -> types.StartedReplay:
        """Send the deliveries of a period again; without `status`, the failed and held ones.

        Not repeated after a lost answer.
        """
        call = self._transport.call(Request("POST", f"/webhooks/{segment(id)}/replay", body=period))
        return cast(types.StartedReplayData, call)["replay"]
