"""Fields of a request that the service has ignored, as the header `Ignored-Fields` of its response names them."""

from __future__ import annotations

import logging
import warnings
from typing import Callable, List, Mapping, Optional
from urllib.parse import unquote

from ._request import Request

OnIgnoredFields = Callable[[List[str], str], None]
"""Receives the paths of the fields, such as `recipients[0].extra`, and the request, such as `POST /messages/send`.

`...` at the end of the paths stands for others. An exception is logged: the service has accepted the request.
"""


class IgnoredFieldsWarning(UserWarning):
    """The service has ignored fields of a request, for example unknown ones."""


def ignored_fields_in(headers: Mapping[str, str]) -> List[str]:
    header = headers.get("ignored-fields", "")
    return [unquote(name.strip()) for name in header.split(",")] if header else []


def report_ignored_fields(report: Optional[OnIgnoredFields], fields: List[str], request: Request) -> None:
    """Calls `report`, or warns at the place that called the method of the client.

    Raises no exception: the caller would lose the answer, send again and pay twice.
    """
    name = f"{request.method} {request.path}"
    text = f"Tidings ignored fields of {name}: {', '.join(fields)}"
    try:
        if report is None:
            warnings.warn(text, IgnoredFieldsWarning, stacklevel=4)
        else:
            report(fields, name)
    except Exception as error:
        cause = None if isinstance(error, IgnoredFieldsWarning) else error
        logging.getLogger("tidings_client").warning(text, exc_info=cause)
