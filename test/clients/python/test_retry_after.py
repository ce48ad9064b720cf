"""Which Retry-After headers the client understands."""

import os
import time
import unittest
from unittest import mock

from tidings_client._errors import error_of


def seconds_in(header):
    return error_of(503, {"retry-after": header}, None).retry_after


class RetryAfter(unittest.TestCase):
    def test_seconds(self):
        self.assertEqual([seconds_in("7"), seconds_in("32.5"), seconds_in(" 0 ")], [7, 32.5, 0])

    def test_a_date_of_http_in_any_form_and_zone(self):
        self.addCleanup(time.tzset)
        with mock.patch.dict(os.environ, TZ="America/New_York"), mock.patch("time.time", return_value=1798761600):
            time.tzset()
            for header in (
                "Fri, 01 Jan 2027 00:02:00 GMT",
                "Friday, 01-Jan-27 00:02:00 GMT",
                "Fri Jan  1 00:02:00 2027",
            ):
                with self.subTest(header):
                    self.assertEqual(seconds_in(header), 120)

    def test_nothing_else(self):
        for header in (None, "", "soon", "-5", "1e3", "32.", "\u0661", "1 Jan 2032", "Thu, 01 Jan 2032 00:02:00 -0500"):
            with self.subTest(header):
                self.assertIsNone(seconds_in(header))
        no_date = "Thu, 01 Xyz 2032 00:02:00 GMT"
        self.assertIsNone(seconds_in(no_date))
        with mock.patch("tidings_client._errors.parsedate_to_datetime", side_effect=TypeError):  # as in Python 3.9
            self.assertIsNone(seconds_in(no_date))
