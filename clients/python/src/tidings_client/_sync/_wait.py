# Generated from _async by `npm run client:types`: do not edit it.
"""How this half of the package waits."""

from __future__ import annotations

from time import sleep as sleep
