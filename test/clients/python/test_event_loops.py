"""One client in several event loops: an answer that was lost with a loop costs no message."""

import asyncio
import json
import os
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest import mock

import httpx
from tidings_client import AsyncTidings, Tidings
from tidings_client._async import transport

MESSAGE = {"to": "+15551234567", "channel": "sms", "content": {"text": "Hello"}}
ANSWER = json.dumps({"success": True, "data": {"message": {"id": "one"}}}).encode()


class EventLoops(unittest.TestCase):
    def setUp(self):
        keys = self.keys = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"  # connections stay open
            timeout = 10

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                keys.append(self.headers["Idempotency-Key"])
                self.send_response(201)
                self.send_header("Content-Length", str(len(ANSWER)))
                self.end_headers()
                self.wfile.write(ANSWER)

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        server.handle_error = lambda *_: None  # clients leave connections with their loop
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        self.base = f"http://127.0.0.1:{server.server_port}"

    def test_a_client_sends_each_message_once_in_several_event_loops(self):
        tidings = AsyncTidings("tidings_x", self.base, retries=0)
        quick = tidings.with_options(timeout=10)
        for client in (tidings, tidings, quick, tidings):
            self.assertEqual(asyncio.run(client.messages.send(MESSAGE)), {"id": "one"})
        self.assertEqual((len(self.keys), len(set(self.keys))), (4, 4))

    def test_a_client_that_was_closed_in_one_event_loop_opens_connections_in_the_next(self):
        tidings = AsyncTidings("tidings_x", self.base, retries=0)

        async def send():
            async with tidings:
                await tidings.messages.send(MESSAGE)
            with self.assertRaisesRegex(RuntimeError, "closed"):
                await tidings.messages.send(MESSAGE)

        asyncio.run(send())
        asyncio.run(send())
        self.assertEqual(len(self.keys), 2)

    def test_a_send_over_connections_of_another_loop_is_repeated_with_its_key(self):
        tidings = AsyncTidings("tidings_x", self.base, http_client=httpx.AsyncClient())
        with mock.patch.object(transport, "sleep", mock.AsyncMock()):
            for _ in range(4):
                self.assertEqual(asyncio.run(tidings.messages.send(MESSAGE)), {"id": "one"})
        self.assertEqual(len(set(self.keys)), 4)

    def test_a_call_of_a_closed_client_fails_at_once(self):
        with Tidings("tidings_x", self.base) as tidings:
            pass
        with self.assertRaisesRegex(RuntimeError, "closed"):
            tidings.messages.send(MESSAGE)
        self.assertEqual(self.keys, [])

    def test_a_child_process_uses_connections_of_its_own(self):
        with Tidings("tidings_x", self.base) as tidings:
            tidings.messages.send(MESSAGE)
            parent = tidings._transport.connections.http()
            with mock.patch("tidings_client._sync.connections.connection_owner", return_value=os.getpid() + 1):
                self.assertIsNot(tidings._transport.connections.http(), parent)
