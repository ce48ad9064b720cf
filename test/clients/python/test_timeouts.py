"""How long an attempt takes at most, with a server that never stops to send."""

import asyncio
import time
import unittest

from tidings_client import AsyncTidings, TidingsError


class Timeouts(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        ended = asyncio.Event()

        async def drip(_, writer):
            try:
                writer.write(b"HTTP/1.1 200 OK\r\n")
                for _ in range(100):
                    writer.write(b"X-Drip: 1\r\n")
                    await writer.drain()
                    await asyncio.sleep(0.05)
            except ConnectionError:
                pass  # the client has left
            finally:
                writer.close()
                ended.set()

        server = await asyncio.start_server(drip, "127.0.0.1", 0)
        self.addAsyncCleanup(ended.wait)
        self.addCleanup(server.close)
        self.base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    async def test_an_async_attempt_ends_while_the_head_of_the_answer_comes(self):
        began = time.monotonic()
        async with AsyncTidings("tidings_x", self.base, timeout=0.3, retries=0) as tidings:
            with self.assertRaises(TidingsError) as raised:
                await tidings.balance()
        self.assertEqual((raised.exception.status, raised.exception.code), (0, "timeout"))
        self.assertLess(time.monotonic() - began, 3)
