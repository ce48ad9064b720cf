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

    def test_an_error_says_whether_the_service_may_have_done_the_work(self):
        for answers, is_undecided in (
            ([httpx.ReadError("reset")], True),
            ([httpx.ReadTimeout("late")], True),
            ([refused(500, "internal_error")], True),
            ([httpx.Response(503, html="upstream reset")], True),
            ([httpx.Response(200, html="cached")], True),
            ([httpx.ReadError("reset"), refused(401, "unauthorized")], True),
            ([refused(503, "unavailable")], False),
            ([refused(429, "rate_limited")], False),
            ([refused(400, "validation_failed")], False),
            ([httpx.ConnectError("refused")], False),
            ([httpx.ConnectTimeout("late")], False),
        ):
            with self.subTest(answers):
                error = self.failure_of(lambda answers=answers: self.client(*answers).messages.send(MESSAGE))
                self.assertIs(error.is_undecided, is_undecided)
                self.assertIs(pickle.loads(pickle.dumps(error)).is_undecided, is_undecided)  # noqa: S301
        self.assertIs(self.failure_of(self.client(httpx.ReadError("reset")).balance).is_undecided, False)

    def test_an_error_of_the_own_httpx_client_passes_unchanged_and_the_request_is_sent_once(self):
        mistake = RuntimeError("a mistake in the program")
        tidings = self.client(mistake)
        for call in (lambda: tidings.messages.send(MESSAGE), lambda: next(tidings.stream())):
            self.requests.clear()
            with self.assertRaises(RuntimeError) as raised:
                call()
            self.assertIs(raised.exception, mistake)
            self.assertEqual((len(self.requests), self.pauses), (1, []))

    def test_a_stream_of_a_loop_that_was_closed_is_opened_again(self):
        tidings = self.client(RuntimeError("Event loop is closed"), refused(401, "unauthorized"))
        self.assertEqual(self.failure_of(lambda: next(tidings.stream())).status, 401)

    def test_a_traceback_with_locals_does_not_show_the_password_of_the_address(self):
        with Tidings("tidings_x", "http://user:secret-1@api.example.com") as tidings:
            self.assertNotIn("secret-1", repr(tidings._transport.options))

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
