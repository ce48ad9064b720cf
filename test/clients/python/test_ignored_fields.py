"""What the client does with the fields that the service has ignored, sync and async."""

import asyncio
import os
import unittest
import warnings

from tidings_client import AsyncTidings, IgnoredFieldsWarning, Tidings

BASE, KEY = os.environ["BASE"], os.environ["KEY"]
MESSAGE = {"to": "+15551234567", "channel": "sms", "content": {"text": "Hello"}}
UNKNOWN = {**MESSAGE, "priority, 1": 7, "extra": "x"}
TEXT = "Tidings ignored fields of POST /messages/send: priority, 1, extra"


def send(**options):
    with Tidings(KEY, BASE, **options) as tidings:
        return tidings.messages.send(UNKNOWN)


def send_async(**options):
    async def run():
        async with AsyncTidings(KEY, BASE, **options) as tidings:
            return await tidings.messages.send(UNKNOWN)

    return asyncio.run(run())


class IgnoredFields(unittest.TestCase):
    def test_warns_of_fields_that_the_service_has_ignored(self):
        for sends in (send, send_async):
            with self.assertWarns(IgnoredFieldsWarning) as warned:
                sends()
            self.assertEqual((str(warned.warning), warned.filename), (TEXT, __file__))

    def test_warns_at_the_loop_that_reads_a_list(self):
        async def read():
            async with AsyncTidings(KEY, BASE) as tidings:
                return [each async for each in tidings.messages.list(colour="x")]

        with Tidings(KEY, BASE) as tidings:
            for reads in (lambda: list(tidings.messages.list(colour="x")), lambda: asyncio.run(read())):
                with self.assertWarns(IgnoredFieldsWarning) as warned:
                    reads()
                self.assertEqual(warned.filename, __file__)

    def test_gives_ignored_fields_to_its_option_instead(self):
        seen = []
        with Tidings(KEY, BASE, on_ignored_fields=lambda *given: seen.append(given)) as tidings:
            tidings.with_options(retries=0).messages.send(UNKNOWN)
        self.assertEqual(seen, [(["priority, 1", "extra"], "POST /messages/send")])

    def test_a_send_returns_its_message_where_warnings_are_errors(self):
        for sends in (send, send_async):
            with warnings.catch_warnings(), self.assertLogs("tidings_client", "WARNING") as logged:
                warnings.simplefilter("error")
                self.assertEqual(len(sends()["id"]), 36)
            self.assertEqual([(each.getMessage(), each.exc_info) for each in logged.records], [(TEXT, None)])

    def test_a_send_returns_its_message_where_the_option_fails(self):
        def refuse(_fields, _request):
            raise OSError("no log")

        for sends in (send, send_async):
            with self.assertLogs("tidings_client", "WARNING") as logged:
                self.assertEqual(len(sends(on_ignored_fields=refuse)["id"]), 36)
            self.assertEqual([each.getMessage() for each in logged.records], [TEXT])
            self.assertIn("OSError: no log", logged.output[0])

    def test_warns_once_of_the_same_fields_of_different_objects_and_recipients(self):
        with Tidings(KEY, BASE) as tidings, warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("default", IgnoredFieldsWarning)
            for count in range(2):
                contact = tidings.contacts.create({"email": f"ignored{count}@example.com"})
                tidings.contacts.update(contact["id"], {"name": "Ada", "colour": "red"})
                recipients = [{"to": f"+1555123456{index}", "labels": []} for index in range(2 + count)]
                tidings.batches.send({"channel": "sms", "content": {"text": "Hello"}, "recipients": recipients})
        texts = [str(each.message) for each in warned if each.category is IgnoredFieldsWarning]
        self.assertEqual(
            texts,
            [
                "Tidings ignored fields of PUT /contacts/{id}: colour",
                "Tidings ignored fields of POST /messages/bulk: recipients[].labels",
            ],
        )
