"""Options that cannot work are refused at once, not in the first call."""

import math
import platform
import unittest

import httpx
from tidings_client import AsyncTidings, Tidings, __version__

BASE = "https://api.example.com"


class Options(unittest.TestCase):
    def refuses(self, text, call):
        with self.assertRaisesRegex(ValueError, text):
            call()

    def test_refuses_an_address_to_which_no_request_can_be_sent(self):
        for base in (
            "http://host:abc",
            "http://host:0",
            "http://host:99999",
            "http://",
            "http://[::1",
            "http://host\n.example.com",
            "https://a b.example.com",
            "ftp://api.example.com",
            "api.example.com",
            "",
            None,
            b"https://api.example.com",
            f"{BASE}?workspace=1",
            f"{BASE}#part",
            f"{BASE}/?",
            f"{BASE}/#",
        ):
            for client in (Tidings, AsyncTidings):
                with self.subTest(base, client=client):
                    self.refuses("^base_url must be a URL, such as", lambda client=client, base=base: client("k", base))

    def test_accepts_addresses_with_a_port_a_path_and_a_password(self):
        for base in (
            "http://127.0.0.1:3000",
            "http://[::1]:3000/",
            f"{BASE}/tidings/api/v1/",
            "https://user:pass@host",
        ):
            Tidings("k", base).close()

    def test_refuses_numbers_with_which_a_call_would_never_begin_or_never_end(self):
        tidings = Tidings("k", BASE)
        self.addCleanup(tidings.close)
        for timeout in (0, -1, math.nan, math.inf, "5", True):
            with self.subTest(timeout=timeout):
                text = "^timeout must be a number of seconds above 0$"
                self.refuses(text, lambda timeout=timeout: Tidings("k", BASE, timeout=timeout))
                self.refuses(text, lambda timeout=timeout: tidings.with_options(timeout=timeout))
        for retries in (-1, 1.5, math.nan, -math.inf, "5", True):
            with self.subTest(retries=retries):
                text = "^retries must be an integer of at least 0, or math.inf$"
                self.refuses(text, lambda retries=retries: AsyncTidings("k", BASE, retries=retries))
                self.refuses(text, lambda retries=retries: tidings.with_options(retries=retries))
        self.refuses("^timeout", lambda: Tidings("k", BASE, timeout=None))
        self.refuses("^retries", lambda: Tidings("k", BASE, retries=None))
        tidings.with_options(timeout=0.5, retries=0)
        tidings.with_options(retries=math.inf)

    def test_names_its_version_unless_the_program_names_itself(self):
        seen = []

        def answer(request):
            seen.append(request.headers["user-agent"])
            return httpx.Response(200, json={"success": True, "data": {}})

        for headers in ({}, {"User-Agent": "shop/7"}):
            with httpx.Client(transport=httpx.MockTransport(answer), headers=headers) as http:
                Tidings("k", BASE, http_client=http).balance()
        self.assertEqual(seen, [f"tidings-client/{__version__} (python {platform.python_version()})", "shop/7"])

    def test_refuses_a_position_of_a_stream_that_no_header_can_have(self):
        tidings = Tidings("k", BASE)
        self.addCleanup(tidings.close)
        for client in (tidings, AsyncTidings("k", BASE)):
            for position in ("1.a\n", "1 a", "é", 7):
                with self.subTest(position):
                    text = "^last_event_id must be visible ASCII characters$"
                    self.refuses(text, lambda client=client, position=position: client.stream(last_event_id=position))
            client.stream(last_event_id="")
