"""When the client repeats a request: answers are prepared, pauses are recorded instead of waited for."""

import json
from unittest import mock

import httpx
from tidings_client import Tidings, TidingsError
from tidings_client._retry import is_retryable, pause_of

from prepared_answers import MESSAGE, SENT, PreparedAnswers, refused


class Breaks(httpx.SyncByteStream):
    """A body that ends too early."""

    def __iter__(self):
        yield b'{"success": tr'
        raise httpx.RemoteProtocolError("peer closed connection")


class Retries(PreparedAnswers):
    def test_a_send_after_a_failure_with_the_same_key_and_body(self):
        for failure in (
            refused(429, "rate_limited", **{"Retry-After": "1"}),
            refused(500, "internal_error"),
            refused(503, "unavailable"),
            httpx.Response(502, html="<html>Bad gateway</html>"),
            httpx.Response(504),
            httpx.Response(200, stream=Breaks()),
            httpx.ReadTimeout("too late"),
            httpx.ConnectError("refused"),
        ):
            with self.subTest(failure):
                self.requests.clear()
                self.assertEqual(self.client(failure, SENT).messages.send(MESSAGE), {"id": "one"})
                first, second = self.requests
                self.assertRegex(first.headers["idempotency-key"], "^[0-9a-f-]{36}$")
                self.assertEqual(first.headers["idempotency-key"], second.headers["idempotency-key"])
                self.assertEqual((str(second.url), json.loads(second.content)), (str(first.url), MESSAGE))
                self.assertEqual(str(first.url), "https://api.example.com/api/v1/messages/send")
        self.assertEqual(len(self.pauses), 8)

    def test_with_the_key_of_the_caller(self):
        self.client(httpx.ReadError("reset"), SENT).messages.send(MESSAGE, idempotency_key="order-1")
        self.assertEqual([request.headers["idempotency-key"] for request in self.requests], ["order-1", "order-1"])

    def test_nothing_that_the_service_refused(self):
        for status, code in (
            (400, "validation_failed"),
            (401, "unauthorized"),
            (402, "insufficient_credits"),
            (409, "conflict"),
            (422, "idempotency_mismatch"),
        ):
            self.requests.clear()
            tidings = self.client(refused(status, code))
            error = self.failure_of(lambda tidings=tidings: tidings.messages.send(MESSAGE))
            self.assertEqual((error.status, error.code, str(error), error.request_id), (status, code, "No", "req-1"))
            self.assertEqual(len(self.requests), 1)

    def test_no_creation_whose_answer_was_lost(self):
        tidings = self.client(httpx.ReadError("reset"))
        create = lambda: tidings.webhooks.create({"url": "https://example.com", "events": ["message.sent"]})  # noqa: E731
        self.assertEqual((self.failure_of(create).code, len(self.requests)), ("network_error", 1))

    def test_at_most_as_often_as_it_may(self):
        tidings = self.client(
            refused(500, "internal_error"), refused(500, "internal_error"), httpx.ConnectTimeout("late")
        )
        error = self.failure_of(lambda: tidings.messages.get("one"))
        self.assertEqual((error.status, error.code, len(self.requests)), (0, "timeout", 3))
        self.requests.clear()
        self.failure_of(lambda: tidings.with_options(retries=0).messages.get("one"))
        self.assertEqual(len(self.requests), 1)

    def test_not_before_retry_after_and_not_at_all_where_that_is_too_long(self):
        self.client(refused(429, "rate_limited", **{"Retry-After": "7"}), SENT).messages.send(MESSAGE)
        self.assertGreaterEqual(self.pauses[0], 7)
        self.requests.clear()
        tidings = self.client(refused(429, "rate_limited", **{"Retry-After": "900"}))
        self.assertEqual(self.failure_of(lambda: tidings.messages.send(MESSAGE)).retry_after, 900)
        self.assertEqual(len(self.requests), 1)
        self.assertTrue(is_retryable(TidingsError(429, "rate_limited", "No", retry_after=60), False))

    def test_after_pauses_that_double_are_partly_random_and_end_at_ten_seconds(self):
        pauses = [(pause_of(attempt, None, 0), pause_of(attempt, None, 1)) for attempt in (0, 1, 2, 9, 9999)]
        self.assertEqual(pauses, [(0.25, 0.5), (0.5, 1), (1, 2), (5, 10), (5, 10)])

    def test_nothing_at_another_address(self):
        tidings = self.client(httpx.Response(307, headers={"Location": "https://elsewhere.example.com"}))
        self.assertEqual((self.failure_of(lambda: tidings.messages.send(MESSAGE)).status, len(self.requests)), (307, 1))

    def test_no_request_to_something_that_is_not_tidings(self):
        tidings = self.client(httpx.Response(200, html="<html>Hello</html>"))
        self.assertEqual(self.failure_of(tidings.balance).code, "invalid_answer")
        for key, base in (("", "https://api.example.com"), ("x", "api.example.com")):
            with self.assertRaises(ValueError):
                Tidings(key, base)

    def test_no_key_that_no_header_can_have_and_none_is_shown(self):
        with self.assertRaisesRegex(ValueError, "^api_key must be visible ASCII characters$"):
            Tidings("tidings_x\r\ny", "https://api.example.com")
        tidings = self.client(SENT)
        why = "^idempotency_key must be visible ASCII characters$"
        for key in ("order-1\n", "order 1", "žluťoučký", ""):
            with self.subTest(key), self.assertRaisesRegex(ValueError, why):
                tidings.messages.send(MESSAGE, idempotency_key=key)
        self.assertEqual((self.requests, self.pauses), ([], []))

    def test_a_key_from_a_file_without_its_line_end(self):
        http = httpx.Client(transport=httpx.MockTransport(lambda request: self.requests.append(request) or SENT))
        Tidings("tidings_x\n", "https://api.example.com", http_client=http).messages.send(MESSAGE)
        self.assertEqual(self.requests[0].headers["x-api-key"], "tidings_x")

    def test_a_stream_from_the_last_whole_event(self):
        text = {"Content-Type": "text/event-stream"}
        event = b'data: {"event":"message.sent","timestamp":"","data":{"message_id":"m"}}\n\n'
        for cut in (b"id: 2.b\n", b"id: 2.b\ndata: {", b"id: 2.b\n" + event[:-1]):
            with self.subTest(cut):
                self.requests.clear()
                tidings = self.client(
                    httpx.Response(200, headers=text, content=b"id: 1.a\n" + event + cut),
                    httpx.Response(200, headers=text, content=b"id: 2.b\n" + event),
                    refused(401, "unauthorized"),
                )
                seen = []
                self.failure_of(lambda tidings=tidings, seen=seen: seen.extend(tidings.stream()))
                self.assertEqual([event.id for event in seen], ["1.a", "2.b"])
                positions = [request.headers.get("last-event-id") for request in self.requests]
                self.assertEqual(positions, [None, "1.a", "2.b"])

    def test_a_stream_until_it_ends_and_not_one_that_was_refused(self):
        event = b'{"event":"message.sent","timestamp":"","data":{"message_id":"m"}}'
        block = b"id: 1.a\ndata: " + event + b"\n\nretry: 3000\nid: 1.b\n\n"
        text = {"Content-Type": "text/event-stream"}
        tidings = self.client(
            httpx.ConnectError("refused"),
            httpx.Response(200, headers=text, content=block),
            refused(409, "limit_reached"),
            httpx.Response(200, headers=text, content=block + b"data: {"),
            refused(401, "unauthorized"),
        )
        seen = []
        self.assertEqual(self.failure_of(lambda: seen.extend(tidings.stream())).status, 401)
        self.assertEqual([event.id for event in seen], ["1.a", "1.a"])
        positions = [request.headers.get("last-event-id") for request in self.requests]
        self.assertEqual(positions, [None, None, "1.b", "1.b", "1.b"])
        self.assertGreaterEqual(self.pauses[1], 3)
        self.requests.clear()
        never_open = self.client(refused(409, "limit_reached"))
        self.assertEqual(self.failure_of(lambda: list(never_open.stream())).status, 409)
        self.assertEqual(len(self.requests), 1)

    def test_no_stream_of_something_that_is_not_tidings(self):
        opened = mock.Mock()
        for answer in (httpx.Response(200, html="<html>Hello</html>"), httpx.Response(200), SENT):
            tidings = self.client(answer, refused(401, "unauthorized"))
            error = self.failure_of(lambda tidings=tidings: list(tidings.stream(on_open=opened)))
            self.assertEqual(error.code, "invalid_answer")
        self.assertEqual((len(self.requests), opened.mock_calls), (3, []))

    def test_a_raw_call_as_often_as_its_method_allows(self):
        # Without the code "unavailable", the service may have done the work.
        answer = refused(503, "starting")
        for method, options, attempts in (
            ("GET", {}, 3),
            ("PUT", {"body": {}}, 3),
            ("DELETE", {}, 3),
            ("POST", {"body": {}}, 1),
            ("POST", {"body": {}, "idempotency_key": "order-1"}, 3),
            ("POST", {"is_repeatable": True}, 3),
        ):
            with self.subTest(method, options=options):
                self.requests.clear()
                tidings = self.client(answer)
                self.failure_of(
                    lambda method=method, options=options, tidings=tidings: tidings.request(method, "/x", **options)
                )
                self.assertEqual(len(self.requests), attempts)

    def test_a_raw_call_that_the_service_cannot_have_is_refused_before_anything_is_sent(self):
        for method, path in (
            ("post", "/x"),
            ("PATCH", "/x"),
            ("GET", "x"),
            ("GET", "/x?limit=1"),
            ("GET", "/x#y"),
            ("GET", ""),
            ("GET", None),
            ("GET", b"/x"),
            ("GET", "/x/../y"),
            ("GET", "/x/%2E%2e"),
            ("GET", "/x/."),
            ("GET", "/x\\.."),
            ("GET", "/x y"),
            ("GET", "/x\n"),
        ):
            with self.subTest(method, path=path), self.assertRaises(ValueError):
                self.client(SENT).request(method, path)
        with self.assertRaises(ValueError):
            self.client(SENT).request("POST", "/messages/send", body=MESSAGE, idempotency_key="")
        with self.assertRaises(ValueError):
            self.client(SENT).request("GET", "/balance", body={})
        self.assertEqual(self.requests, [])
