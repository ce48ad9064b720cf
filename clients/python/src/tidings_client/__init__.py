"""A client of Tidings, durable messaging over HTTP."""

__version__ = "1.0.0"  # above the imports: _request imports it

from ._async.client import AsyncTidings
from ._async.lists import AsyncPage, AsyncPages
from ._errors import ErrorDetail, TidingsError
from ._events import MessageEvent, StreamedEvent, StreamResetEvent
from ._ignored_fields import IgnoredFieldsWarning
from ._sync.client import Tidings
from ._sync.lists import Page, Pages

__all__ = [
    "AsyncPage",
    "AsyncPages",
    "AsyncTidings",
    "ErrorDetail",
    "IgnoredFieldsWarning",
    "MessageEvent",
    "Page",
    "Pages",
    "StreamResetEvent",
    "StreamedEvent",
    "Tidings",
    "TidingsError",
]
