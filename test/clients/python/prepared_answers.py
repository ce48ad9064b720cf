"""A client whose answers are prepared. Pauses are recorded instead of waited for."""

import unittest
from unittest import mock

import httpx
from tidings_client import Tidings, TidingsError
from tidings_client._sync import stream, transport

MESSAGE = {"to": "+15551234567", "channel": "sms", "content": {"text": "Hello"}}
SENT = httpx.Response(201, json={"success": True, "data": {"message": {"id": "one"}}})


def refused(status, code, **headers):
    body = {"success": False, "error": "No", "code": code, "request_id": "req-1"}
    return httpx.Response(status, json=body, headers=headers)


class PreparedAnswers(unittest.TestCase):
    def setUp(self):
        self.requests, self.pauses = [], []
        for module in (transport, stream):
            patch = mock.patch.object(module, "sleep", self.pauses.append)
            patch.start()
            self.addCleanup(patch.stop)

    def client(self, *answers, **options):
        """A client that gets these answers, the last one again and again."""
        left = list(answers)

        def answer(request):
            self.requests.append(request)
            one = left.pop(0) if len(left) > 1 else left[0]
            if isinstance(one, Exception):
                raise one
            return one

        http = httpx.Client(transport=httpx.MockTransport(answer), follow_redirects=True)
        return Tidings("tidings_x", "https://api.example.com/api/v1/", http_client=http, **{"retries": 2, **options})

    def failure_of(self, call):
        with self.assertRaises(TidingsError) as raised:
            call()
        return raised.exception
