"""What an error tells a program, and what it keeps secret."""

import math
import pickle
import traceback
from datetime import datetime, timezone
from unittest import mock

import httpx
from tidings_client import Tidings, TidingsError

from prepared_answers import MESSAGE, SENT, PreparedAnswers, refused


class Errors(PreparedAnswers):
    def test_an_error_has_the_idempotency_key_of_its_call(self):
        def failure(answer, **options):
            return self.failure_of(lambda: self.client(answer).messages.send(MESSAGE, **options))

        self.assertEqual(failure(httpx.ReadError("reset"), idempotency_key="order-1").idempotency_key, "order-1")
        for answer in (
            httpx.ReadError("reset"),
            refused(402, "insufficient_credits"),
            httpx.Response(200, html="Hello"),
        ):
            error = failure(answer)
            self.assertEqual(error.idempotency_key, self.requests[-1].headers["idempotency-key"])
            self.assertEqual(pickle.loads(pickle.dumps(error)).idempotency_key, error.idempotency_key)  # noqa: S301
        self.assertIsNone(self.failure_of(self.client(refused(401, "unauthorized")).balance).idempotency_key)

    def test_an_error_does_not_show_the_password_of_the_address(self):
        http = httpx.Client(transport=httpx.MockTransport(mock.Mock(side_effect=httpx.ConnectError("refused"))))
        tidings = Tidings("tidings_x", "http://user:secret-1@api.example.com", http_client=http, retries=0)
        error = self.failure_of(tidings.balance)
        self.assertEqual(str(error), "http://api.example.com/api/v1 cannot be reached: refused")

    def test_a_traceback_with_locals_does_not_show_the_api_key(self):
        http = httpx.Client(transport=httpx.MockTransport(mock.Mock(side_effect=httpx.ConnectError("refused"))))
        for body in (MESSAGE, {**MESSAGE, "scheduled_at": datetime(2027, 1, 1)}):
            tidings = Tidings("tidings_secret_1", "http://api.example.com", http_client=http, retries=0)
            try:  # assertRaises would clear the locals
                tidings.messages.send(body)
            except (TidingsError, TypeError) as error:
                shown = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
            self.assertIn("idempotency_key", shown)
            self.assertNotIn("tidings_secret_1", shown)

    def test_a_value_that_json_does_not_have_is_refused_before_anything_is_sent(self):
        tidings = self.client(SENT)
        at = datetime(2027, 1, 1, tzinfo=timezone.utc)
        for kind, call in (
            (TypeError, lambda: tidings.messages.send({**MESSAGE, "scheduled_at": at})),
            (TypeError, lambda: tidings.messages.send({**MESSAGE, "metadata": {"order": {1, 2}}})),
            (ValueError, lambda: tidings.messages.send({**MESSAGE, "variables": {"share": math.nan}})),
            (ValueError, lambda: tidings.messages.send({**MESSAGE, "variables": {"name": "\ud800"}})),
        ):
            with self.assertRaises(kind) as raised:
                call()
            if kind is TypeError:
                self.assertRegex(str(raised.exception), r"^JSON has no values of type (datetime|set) ")
        self.assertEqual((self.requests, self.pauses), ([], []))
