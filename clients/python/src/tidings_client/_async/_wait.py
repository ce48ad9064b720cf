"""How this half of the package waits."""

from __future__ import annotations

from anyio import sleep as sleep
