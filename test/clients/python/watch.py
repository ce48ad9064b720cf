"""Prints each event of the stream as a line of JSON, and "open" each time it is open. Ends when its input ends."""

import json
import os
import sys
import threading

from tidings_client import Tidings


def end_with_input() -> None:
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=end_with_input, daemon=True).start()
with Tidings(os.environ["KEY"], os.environ["BASE"]) as tidings:
    for item in tidings.stream(on_open=lambda: print('"open"', flush=True)):
        print(json.dumps({"id": item.id, "raw": item.raw, "event": item.event}), flush=True)
