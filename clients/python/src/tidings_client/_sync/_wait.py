# Generated from _async by `npm run generate`: do not edit it.
"""How this half of the package waits, and what its connections belong to: an event loop, or a process.

Nothing can bound a blocking call as a whole, so in the half that blocks each part of a call has the timeout.
"""

from __future__ import annotations

from contextlib import nullcontext as time_limit
from time import sleep
from os import getpid as connection_owner

__all__ = ["connection_owner", "sleep", "time_limit"]
