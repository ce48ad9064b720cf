"""Prints each event of the stream as a line of JSON, and "open" each time the stream is open."""

import json
import os

from tidings_client import Tidings

with Tidings(os.environ["KEY"], os.environ["BASE"]) as tidings:
    for item in tidings.stream(on_open=lambda: print('"open"', flush=True)):
        print(json.dumps({"id": item.id, "raw": item.raw, "event": item.event}), flush=True)
