"""Verifies webhooks that the service signed: CASES in the environment, see python-client.test.ts."""

import base64
import hmac
import json
import os
import unittest
from unittest import mock

import httpx
from tidings_client.webhooks import WebhookVerificationError, verify_webhook

CASES = json.loads(os.environ["CASES"])
BODY, HEADERS, SECRET, OLD, PUBLIC, NOW = (
    CASES[name] for name in ("body", "headers", "secret", "old", "public", "now")
)


def verify(headers=HEADERS, body=BODY, keys=SECRET, **options):
    return verify_webhook(body, headers, keys, now=NOW, **options)


class Webhooks(unittest.TestCase):
    def refused(self, fault, *args, **options):
        with self.assertRaises(WebhookVerificationError) as raised:
            verify(*args, **options)
        self.assertEqual(raised.exception.fault, fault)

    def test_returns_the_event_from_text_and_bytes_with_any_kind_of_headers(self):
        shouted = {name.upper(): value for name, value in HEADERS.items()}
        for headers, body in (
            (HEADERS, BODY),
            (httpx.Headers(HEADERS), BODY.encode()),
            (shouted, bytearray(BODY.encode())),
            ({name: [value] for name, value in HEADERS.items()}, BODY),
            ({**{name: (value,) for name, value in HEADERS.items()}, "X-Two": ["a", "b"], "X-None": None}, BODY),
        ):
            event = verify(headers, body)
            self.assertEqual({"event": event.event, "timestamp": event.timestamp, "data": event.data}, json.loads(BODY))
            self.assertEqual((event.id, event.sent_at.timestamp()), (HEADERS["webhook-id"], NOW))

    def test_accepts_each_of_several_secrets_and_the_public_key(self):
        for keys in (SECRET, OLD, PUBLIC, [CASES["other"], OLD], [CASES["otherPublic"], SECRET]):
            self.assertEqual(verify(keys=keys).event, "message.sent")
        for keys in (CASES["other"], CASES["otherPublic"], [CASES["other"], CASES["otherPublic"]]):
            self.refused("signature", keys=keys)

    def test_refuses_what_was_altered(self):
        signature = HEADERS["webhook-signature"]
        for fault, altered in (
            ("signature", {"webhook-id": "other"}),
            ("signature", {"webhook-timestamp": str(NOW + 1)}),
            ("signature", {"webhook-signature": signature.replace("v1", "v2")}),
            ("signature", {"webhook-signature": signature[:20]}),
            ("signature", {"webhook-signature": "v1,é v1a,, ,"}),
            ("signature", {"webhook-signature": "v1\udcff,\udcff"}),
            ("signature", {"webhook-id": "\udcff"}),
            ("headers", {"webhook-signature": ""}),
            ("headers", {"webhook-id": ""}),
            ("headers", {"webhook-id": [HEADERS["webhook-id"]] * 2}),
            ("headers", {"webhook-signature": []}),
            ("headers", {"webhook-timestamp": NOW}),
            ("timestamp", {"webhook-timestamp": "1e9"}),
            ("timestamp", {"webhook-timestamp": "٣"}),
            ("timestamp", {"webhook-timestamp": str(NOW - 301)}),
            ("timestamp", {"webhook-timestamp": str(NOW + 301)}),
        ):
            with self.subTest(altered):
                self.refused(fault, {**HEADERS, **altered})
        self.refused("signature", body=BODY + " ")
        self.refused("signature", body=BODY.encode("utf-16"))
        self.refused("signature", body="\udcff")

    def test_reads_only_the_first_16_signatures_and_hashes_the_body_once(self):
        wrong = f"v1,{base64.b64encode(bytes(32)).decode()} "
        after = [{**HEADERS, "webhook-signature": wrong * count + HEADERS["webhook-signature"]} for count in (15, 16)]
        with mock.patch("tidings_client.webhooks.hmac.new", wraps=hmac.new) as hashed:
            self.assertEqual(verify(after[0]).event, "message.sent")
        self.assertEqual(hashed.call_count, 1)
        self.refused("signature", after[1])

    def test_refuses_a_signed_text_that_is_no_object(self):
        for signed in CASES["noObjects"]:
            self.refused("body", signed["headers"], signed["body"])

    def test_accepts_clocks_that_are_apart_as_far_as_it_may(self):
        self.assertEqual(verify(tolerance_seconds=0).event, "message.sent")
        late = {"now": NOW + 3_000}
        self.assertEqual(verify_webhook(BODY, HEADERS, SECRET, tolerance_seconds=3_000, **late).event, "message.sent")

    def test_says_which_key_is_none(self):
        for keys in ([], "", None, [None], SECRET.encode(), "whsec_", "whpk_AAAA", PUBLIC.replace("whpk_", "whsk_")):
            with self.subTest(keys), self.assertRaises(ValueError):
                verify(keys=keys)

    def test_refuses_a_parsed_body_and_a_tolerance_that_is_no_number(self):
        for body in (json.loads(BODY), None, 50):
            with self.subTest(body), self.assertRaisesRegex(TypeError, "raw_body must be"):
                verify(body=body)
        self.refused("timestamp", tolerance_seconds=float("nan"))
