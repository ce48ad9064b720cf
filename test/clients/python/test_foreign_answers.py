"""Answers that the service does not give: those of a proxy, a cache or another service."""

import httpx
from tidings_client._sync.stream import LONGEST_SLEEP

from prepared_answers import MESSAGE, PreparedAnswers, refused

TEXT = {"Content-Type": "text/event-stream"}
EVENT = b'id: 1.a\ndata: {"event":"message.sent","timestamp":"","data":{"message_id":"m"}}\n\n'


def success(data):
    return httpx.Response(200, json={"success": True, "data": data})


def page(**pagination):
    return success({"messages": [{"id": "one"}], "pagination": pagination})


class ForeignAnswers(PreparedAnswers):
    def test_a_success_without_an_object_is_an_error_with_the_key_of_the_send(self):
        for answer in (success(None), success("x"), success([]), httpx.Response(200, content=b"[" * 200_000)):
            error = self.failure_of(lambda answer=answer: self.client(answer).messages.send(MESSAGE))
            self.assertEqual((error.code, error.is_undecided), ("invalid_answer", True))
            self.assertIsNotNone(error.idempotency_key)

    def test_a_list_whose_page_repeats_or_is_incomplete_ends_with_an_error(self):
        for answer, read in ((page(next_cursor="c"), 2), (page(), 1), (success({"pagination": {}}), 1)):
            self.requests.clear()
            error = self.failure_of(lambda answer=answer: list(self.client(answer).messages.list()))
            self.assertEqual((error.code, len(self.requests)), ("invalid_answer", read))

    def test_a_redirect_says_where_it_leads(self):
        answer = httpx.Response(301, headers={"Location": "https://api.example.com/api/v1/balance"})
        text = "HTTP status 301, a redirect to https://api.example.com/api/v1/balance. Check base_url"
        self.assertEqual(str(self.failure_of(self.client(answer).balance)), text)

    def test_a_stream_is_not_opened_where_that_is_allowed_only_much_later(self):
        for demanded in ("3600", "9" * 30):
            tidings = self.client(refused(503, "unavailable", **{"Retry-After": demanded}))
            error = self.failure_of(lambda tidings=tidings: list(tidings.stream()))
            self.assertEqual(error.retry_after, float(demanded))
        self.assertEqual((len(self.requests), self.pauses), (2, []))

    def test_a_stream_survives_an_event_that_is_not_json_and_pauses_that_nobody_can_sleep(self):
        answers = [
            httpx.Response(200, headers=TEXT, content=b"retry: " + b"9" * 5_000 + b"\n\n"),
            httpx.Response(200, headers=TEXT, content=b"id: 0.z\ndata: {not json\n\n"),
            httpx.Response(200, headers=TEXT, content=EVENT),
            refused(503, "unavailable", **{"Retry-After": "9" * 30}),
            refused(401, "unauthorized"),
        ]
        seen = []
        tidings = self.client(*answers)
        self.assertEqual(self.failure_of(lambda: seen.extend(tidings.stream())).status, 401)
        self.assertEqual([event.id for event in seen], ["1.a"])
        self.assertEqual([request.headers.get("last-event-id") for request in self.requests[2:]], ["0.z", "1.a", "1.a"])
        self.assertEqual([self.pauses[0], self.pauses[3]], [LONGEST_SLEEP] * 2)

    def test_a_stream_that_breaks_without_an_event_is_opened_at_growing_intervals(self):
        broken = b"id: 0.z\n\ndata: {not json\n\n"
        contents = [broken] * 4 + [EVENT + broken]
        answers = [httpx.Response(200, headers=TEXT, content=content) for content in contents]
        tidings = self.client(*answers, refused(401, "unauthorized"))
        self.assertEqual(self.failure_of(lambda: list(tidings.stream())).status, 401)
        doubled = [0.5, 1, 2, 4, 0.5]
        self.assertEqual([longest / 2 <= pause <= longest for pause, longest in zip(self.pauses, doubled)], [True] * 5)
