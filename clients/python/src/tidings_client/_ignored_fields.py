"""Fields of a request that the service has ignored, as the header `Ignored-Fields` of its response names them."""

from __future__ import annotations

import logging
import re
import sys
import warnings
from types import FrameType
from typing import Callable, List, Mapping, Optional
from urllib.parse import unquote

from ._request import Request

OnIgnoredFields = Callable[[List[str], str], None]
"""Receives the paths of the fields, such as `recipients[0].extra`, and the request, such as `PUT /contacts/{id}`.

`...` at the end of the paths stands for others. An exception is logged: the service has accepted the request.
"""

_ID = re.compile("(?<=/)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=/|$)", re.IGNORECASE)


class IgnoredFieldsWarning(UserWarning):
    """The service has ignored fields of a request, for example unknown ones."""


def ignored_fields_in(headers: Mapping[str, str]) -> List[str]:
    header = headers.get("ignored-fields", "")
    return [unquote(name.strip()) for name in header.split(",")] if header else []


def report_ignored_fields(report: Optional[OnIgnoredFields], fields: List[str], request: Request) -> None:
    """Calls `report`, or warns at the place in the program that called the client.

    Raises no exception: the caller would lose the answer, send again and pay twice.
    """
    name = f"{request.method} {_ID.sub('{id}', request.path)}"
    text = f"Tidings ignored fields of {name}: {', '.join(_without_indexes(fields))}"
    try:
        if report is None:
            warnings.warn(text, IgnoredFieldsWarning, stacklevel=_level_of_caller())
        else:
            report(fields, name)
    except Exception as error:
        cause = None if isinstance(error, IgnoredFieldsWarning) else error
        logging.getLogger("tidings_client").warning(text, exc_info=cause)


def _level_of_caller() -> int:
    """The `stacklevel` of the first frame outside of this package: a list calls the method itself while it is read."""
    package = __name__.partition(".")[0]
    level = 0
    frame: Optional[FrameType] = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level += 1
        frame = frame.f_back
    return level + 1


def _without_indexes(fields: List[str]) -> List[str]:
    """Python shows, and stores, each different text of a warning."""
    return list(dict.fromkeys(re.sub(r"\[\d+\]", "[]", field) for field in fields))
