"""Errors of the functions that a program gives to the client."""

import gzip
import json
from unittest import mock

import httpx
from tidings_client import TidingsError

from prepared_answers import MESSAGE, SENT, PreparedAnswers, refused


class Callbacks(PreparedAnswers):
    def test_an_error_of_on_response_or_on_open_passes_unchanged_and_the_request_is_sent_once(self):
        text = {"Content-Type": "text/event-stream"}
        for thrown in (
            ValueError("a mistake in the program"),
            TidingsError(503, "unavailable", "of another call"),
            httpx.ConnectError("of another client"),
        ):
            throw = mock.Mock(side_effect=thrown)
            for call in (
                lambda throw=throw: self.client(SENT, on_response=throw).messages.send(MESSAGE),
                lambda throw=throw: self.client(refused(503, "unavailable"), on_response=throw).messages.send(MESSAGE),
                lambda throw=throw: list(self.client(httpx.Response(200, headers=text)).stream(on_open=throw)),
            ):
                self.requests.clear()
                throw.reset_mock()
                with self.assertRaises(type(thrown)) as raised:
                    call()
                self.assertIs(raised.exception, thrown)
                self.assertEqual((len(self.requests), throw.call_count, self.pauses), (1, 1, []))

    def test_on_response_gets_the_body_and_the_headers_of_each_response(self):
        body = SENT.json()
        packed = httpx.Response(
            201,
            stream=httpx.ByteStream(gzip.compress(json.dumps(body).encode())),
            headers={"Content-Encoding": "gzip", "X-RateLimit-Remaining": "7"},
        )
        seen = []
        tidings = self.client(refused(503, "unavailable"), packed, on_response=seen.append)
        self.assertEqual(tidings.messages.send(MESSAGE), {"id": "one"})
        self.assertEqual([each.status_code for each in seen], [503, 201])
        self.assertEqual((seen[0].json()["code"], seen[1].json()), ("unavailable", body))
        self.assertEqual(seen[1].headers["content-encoding"], "gzip")
        self.assertEqual(seen[1].headers["x-ratelimit-remaining"], "7")
        self.assertEqual(str(seen[1].url), "https://api.example.com/api/v1/messages/send")
        self.assertGreaterEqual(seen[1].elapsed.total_seconds(), 0)
        self.assertTrue(seen[1].is_closed)

    def test_a_repetition_has_the_same_body_though_the_program_has_changed_its_dict(self):
        message = {**MESSAGE, "reference": "one"}
        change = lambda _: message.update(reference="two")  # noqa: E731
        self.client(refused(503, "unavailable"), SENT, on_response=change).messages.send(message)
        self.assertEqual([json.loads(request.content)["reference"] for request in self.requests], ["one", "one"])
