"""How this half of the package waits.

Nothing can bound a blocking call as a whole, so in the half that blocks each part of a call has the time-out.
"""

from __future__ import annotations

from anyio import fail_after as bounded
from anyio import sleep

__all__ = ["bounded", "sleep"]
