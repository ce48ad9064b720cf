# Generated from _async by `npm run client:types`: do not edit it.
"""How this half of the package waits, and where its connections work: in one event loop, or in one process.

Nothing can bound a blocking call as a whole, so in the half that blocks each part of a call has the timeout.
"""

from __future__ import annotations

from contextlib import nullcontext as bounded
from time import sleep
from os import getpid as current_place

__all__ = ["bounded", "current_place", "sleep"]
