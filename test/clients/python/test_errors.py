"""What an error tells a program, and what it keeps secret."""

import pickle
from unittest import mock

import httpx
from tidings_client import Tidings

from prepared_answers import MESSAGE, PreparedAnswers, refused


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
