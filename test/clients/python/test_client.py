"""The client against a running service: BASE and KEY in the environment."""

import asyncio
import os
import pickle
import unittest

import httpx
from tidings_client import AsyncTidings, Tidings, TidingsError

BASE, KEY = os.environ["BASE"], os.environ["KEY"]
MESSAGE = {"to": "+15551234567", "channel": "sms", "content": {"text": "Hello \u2028 wörld"}}


class Client(unittest.TestCase):
    def setUp(self):
        self.tidings = Tidings(KEY, BASE)
        self.addCleanup(self.tidings.close)

    def test_sends_reads_cancels_and_explains_a_message(self):
        later = {**MESSAGE, "metadata": {"order": 7}, "scheduled_at": "2999-01-01T00:00:00Z"}
        with self.assertRaises(TidingsError) as refused:
            self.tidings.messages.send(later)
        self.assertEqual([fault["field"] for fault in refused.exception.details], ["scheduled_at"])
        sent = self.tidings.messages.send({**MESSAGE, "metadata": {"order": 7}})
        found = self.tidings.messages.get(sent["id"])
        self.assertEqual((found["credits_used"], found["metadata"]), (1, {"order": 7}))
        self.assertEqual(found["content"], MESSAGE["content"])
        self.assertEqual(self.tidings.messages.timeline(sent["id"])["steps"][0]["type"], "accepted")
        self.assertEqual(self.tidings.messages.preview(MESSAGE)["credits"], 1)
        self.assertIsInstance(self.tidings.balance()["balance"], (int, float))
        self.assertEqual(self.tidings.usage(by="channel")["by"], "channel")

    def test_sends_once_for_one_idempotency_key(self):
        once = [self.tidings.messages.send(MESSAGE, idempotency_key="python-1")["id"] for _ in range(2)]
        twice = [self.tidings.messages.send(MESSAGE)["id"] for _ in range(2)]
        self.assertEqual((len(set(once)), len(set(twice))), (1, 2))

    def test_reads_a_list_of_several_parts_from_its_beginning_to_its_end(self):
        ids = [self.tidings.messages.send({**MESSAGE, "reference": "a&b"})["id"] for _ in range(5)]
        seen = []
        for message in self.tidings.messages.list(limit=2, reference="a&b"):
            if not seen:
                self.tidings.messages.send({**MESSAGE, "reference": "a&b"})  # the list goes on as it began
            seen.append(message["id"])
        self.assertEqual(seen, ids[::-1])
        page = self.tidings.messages.list(reference="none").page()
        self.assertEqual((page.items, page.next_cursor), ([], None))

    def test_sends_batches_and_pauses_resumes_and_cancels_them(self):
        batch = self.tidings.batches.send(
            {
                "channel": "sms",
                "content": {"text": "Hello {{name}}"},
                "recipients": [{"to": "+15551234567", "variables": {"name": "Ada"}}],
                "scheduled_at": os.environ["LATER"],
            }
        )
        states = [getattr(self.tidings.batches, verb)(batch["id"])["status"] for verb in ("pause", "resume", "cancel")]
        self.assertEqual(states, ["paused", "scheduled", "cancelled"])
        self.assertEqual(self.tidings.batches.get(batch["id"])["counts"]["failed"], 1)
        self.assertIn(batch["id"], [each["id"] for each in self.tidings.batches.list()])

    def test_creates_changes_lists_and_deletes_contacts_and_webhooks(self):
        contact = self.tidings.contacts.create({"email": "ada@example.com", "name": "Ada"})
        self.assertIsNone(self.tidings.contacts.update(contact["id"], {"name": None})["name"])
        self.assertEqual(self.tidings.contacts.get(contact["id"])["email"], "ada@example.com")
        self.assertEqual([each["id"] for each in self.tidings.contacts.list()], [contact["id"]])
        self.tidings.contacts.delete(contact["id"])
        webhooks = self.tidings.webhooks
        created = webhooks.create({"url": "https://example.com/hook", "events": ["message.failed"]})
        id = created["webhook"]["id"]
        self.assertNotEqual(webhooks.rotate_secret(id, overlap_hours=0)["secret"], created["secret"])
        self.assertIn("#token=", webhooks.portal(id)["url"])
        self.assertFalse(webhooks.update(id, {"is_active": False})["is_active"])
        self.assertIn("message.failed", [event["type"] for event in webhooks.events()])
        self.assertEqual(list(webhooks.deliveries(id)), [])
        self.assertEqual(webhooks.replay(id, {"since": "2026-01-01T00:00:00Z", "dry_run": True})["matched"], 0)
        webhooks.delete(id)
        self.assertEqual(list(webhooks.list()), [])

    def test_suppresses_recipients_lists_and_removes_suppressions(self):
        suppressions = self.tidings.suppressions
        id = suppressions.create({"channel": "sms", "recipient": "+15551234569"})["id"]
        self.assertEqual(suppressions.create({"channel": "sms", "recipient": "+15551234569"})["id"], id)
        self.assertEqual(suppressions.get(id)["reason"], "manual")
        self.assertEqual([each["id"] for each in suppressions.list(channel="sms")], [id])
        suppressions.delete(id)
        self.assertEqual(list(suppressions.list()), [])

    def test_raises_what_the_service_said(self):
        with self.assertRaises(TidingsError) as refused:
            self.tidings.messages.send({**MESSAGE, "to": "nobody", "content": {"text": ""}})
        error = refused.exception
        self.assertEqual((error.status, error.code), (400, "validation_failed"))
        self.assertEqual(str(error), "Phone number must be in E.164 format")
        self.assertEqual([fault["field"] for fault in error.details], ["to", "content.text"])
        self.assertIn("+15551234567", error.hints[0])
        self.assertRegex(error.request_id, "^[0-9a-f-]{36}$")
        copy = pickle.loads(pickle.dumps(error))  # noqa: S301
        self.assertEqual((str(copy), copy.__dict__), (str(error), error.__dict__))
        for id in ("a/../b", "..", "none"):
            with self.assertRaisesRegex(TidingsError, "^Message not found$"):
                self.tidings.messages.get(id)
        with self.assertRaises(ValueError):
            self.tidings.messages.get("")
        stranger = Tidings("tidings_wrong", BASE)
        with stranger, self.assertRaises(TidingsError) as refused:
            next(iter(stranger.stream()))
        self.assertEqual(refused.exception.status, 401)
        with self.assertRaisesRegex(TidingsError, "^Invalid Last-Event-ID$"):
            next(iter(self.tidings.stream(last_event_id="never-issued")))

    def test_streams_events_and_goes_on_behind_the_last_one(self):
        sent = []
        stream = iter(self.tidings.stream(on_open=lambda: sent.append(self.tidings.messages.send(MESSAGE)["id"])))
        # Messages of the tests before may still have events.
        first = next(event for event in stream if event.event["data"]["message_id"] == sent[0])
        stream.close()
        self.assertEqual(first.event["event"], "message.queued")
        stream = iter(self.tidings.stream(last_event_id=first.id))
        second = next(event for event in stream if event.event["data"]["message_id"] == sent[0])
        stream.close()
        self.assertEqual(second.event["event"], "message.sent")

    def test_waits_in_asyncio(self):
        async def run():
            async with AsyncTidings(KEY, BASE) as tidings:
                messages = await asyncio.gather(*(tidings.messages.send(MESSAGE) for _ in range(3)))
                found = [each["id"] async for each in tidings.messages.list(limit=2)]
                self.assertTrue({message["id"] for message in messages} <= set(found))
                with self.assertRaises(TidingsError):
                    await tidings.messages.get("none")

        asyncio.run(run())

    def test_uses_a_client_of_its_owner_and_leaves_it_open(self):
        with httpx.Client() as http:
            seen = []
            with Tidings(
                KEY, BASE, http_client=http, on_response=lambda answer: seen.append(answer.headers)
            ) as tidings:
                tidings.with_options(timeout=5, retries=0).balance()
            self.assertIn("x-ratelimit-remaining", seen[0])
            self.assertFalse(http.is_closed)

    def test_calls_operations_that_have_no_method(self):
        webhook = self.tidings.webhooks.create({"url": "https://example.com/hook", "events": ["message.failed"]})
        path = f"/webhooks/{webhook['webhook']['id']}"
        replays = self.tidings.request("GET", f"{path}/replays", query={"limit": 2, "cursor": None})
        self.assertEqual(replays["replays"], [])
        changed = self.tidings.request("PUT", path, body={"is_active": False})
        self.assertFalse(changed["webhook"]["is_active"])
        sent = [self.tidings.request("POST", "/messages/send", body=MESSAGE, idempotency_key="raw-1") for _ in range(2)]
        self.assertEqual(sent[0]["message"]["id"], sent[1]["message"]["id"])
        with self.assertRaises(TidingsError) as refused:
            self.tidings.request("POST", f"{path}/replays/none/cancel", is_repeatable=True)
        self.assertEqual(refused.exception.status, 404)
        self.tidings.request("DELETE", path)

    def test_reads_the_public_keys_of_an_asymmetric_webhook(self):
        webhook = {"url": "https://example.com/hook", "events": ["message.failed"], "asymmetric": True}
        id = self.tidings.webhooks.create(webhook)["webhook"]["id"]
        self.addCleanup(self.tidings.webhooks.delete, id)
        keys = self.tidings.webhooks.public_key(id)
        self.assertRegex(keys["public_key"], "^whpk_")
        self.assertIsNone(keys["previous"])
