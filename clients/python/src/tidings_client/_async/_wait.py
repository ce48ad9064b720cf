"""How this half of the package waits, and what its connections belong to: an event loop, or a process.

Nothing can bound a blocking call as a whole, so in the half that blocks each part of a call has the timeout.
"""

from __future__ import annotations

from anyio import fail_after as time_limit
from anyio import sleep
from anyio.lowlevel import current_token as connection_owner

__all__ = ["connection_owner", "sleep", "time_limit"]
