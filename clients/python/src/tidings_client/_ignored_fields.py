"""Fields of a request that the service has ignored, as the header `Ignored-Fields` of its response names them."""

from __future__ import annotations

import warnings
from typing import Callable, List, Mapping
from urllib.parse import unquote

OnIgnoredFields = Callable[[List[str], str], None]
"""Receives the paths of the fields, such as `recipients[0].extra`, and the request, such as `POST /messages/send`.

`...` at the end of the paths stands for others.
"""


class IgnoredFieldsWarning(UserWarning):
    """The service has ignored fields of a request, for example unknown ones."""


def ignored_fields_in(headers: Mapping[str, str]) -> List[str]:
    header = headers.get("ignored-fields", "")
    return [unquote(name.strip()) for name in header.split(",")] if header else []


def warn_of_ignored_fields(fields: List[str], request: str) -> None:
    """Warns at the place that called the method of the client."""
    text = f"Tidings ignored fields of {request}: {', '.join(fields)}"
    warnings.warn(text, IgnoredFieldsWarning, stacklevel=4)
