"""What an error tells a program, and what it keeps secret."""

import pickle

import httpx

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
