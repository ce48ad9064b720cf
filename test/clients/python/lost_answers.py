"""Sends messages through three proxies: one loses answers, one refuses connections. Prints the ids."""

import asyncio
import json
import os
import random

import httpx
from tidings_client import AsyncTidings

SENDS, SENDERS = int(os.environ["SENDS"]), 40
PASS, LOSE, REFUSE = (os.environ[name] for name in ("PASS", "LOSE", "REFUSE"))


class FaultyNetwork(httpx.AsyncHTTPTransport):
    """Chooses a proxy for each request."""

    def __init__(self):
        super().__init__()
        self.random = random.Random(19)  # noqa: S311
        self.counts = {LOSE: 0, REFUSE: 0, PASS: 0}

    async def handle_async_request(self, request):
        (proxy,) = self.random.choices([LOSE, REFUSE, PASS], [20, 5, 75])
        self.counts[proxy] += 1
        host, port = proxy.split(":")
        request.url = request.url.copy_with(host=host, port=int(port))
        return await super().handle_async_request(request)


async def main():
    network, ids, left = FaultyNetwork(), [], iter(range(SENDS))
    async with httpx.AsyncClient(transport=network) as http:
        tidings = AsyncTidings(os.environ["KEY"], os.environ["BASE"], retries=20, http_client=http)

        async def send_some():
            for number in left:
                message = {
                    "to": "+15551234567",
                    "channel": "sms",
                    "content": {"text": "Hello"},
                    "reference": str(number),
                }
                ids.append((await tidings.messages.send(message))["id"])

        await asyncio.gather(*(send_some() for _ in range(SENDERS)))
    print(json.dumps({"ids": ids, "lost": network.counts[LOSE], "refused": network.counts[REFUSE]}))


asyncio.run(main())
