"""DrawingCache: drawings by what they are made from, so that each is drawn once."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar

import orjson

_MOST_BYTES = 16 << 20
Shown = TypeVar("Shown")


class DrawingCache:
    """The drawings used last, known by the hash of all that they are drawn from; threads may share it.

    Parameters
    ----------
    most_bytes
        Of all drawings that are kept.
    """

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._drawings: OrderedDict[bytes, str] = OrderedDict()
        self._n_bytes = 0
        self._lock = Lock()

    def get(self, draw: Callable[[dict[str, Any], Shown], str], document: dict[str, Any], shown: Shown) -> str:
        """Return what ``draw`` makes of a document and of what is shown beside it, a dataclass."""
        described = orjson.dumps((draw.__qualname__, document, shown), option=orjson.OPT_NON_STR_KEYS)
        key = hashlib.sha256(described).digest()
        with self._lock:
            if key in self._drawings:
                self._drawings.move_to_end(key)
                return self._drawings[key]
        drawing = draw(document, shown)
        self._keep(key, drawing)
        return drawing

    def _keep(self, key: bytes, drawing: str) -> None:
        with self._lock:
            if key in self._drawings:  # drawn by another thread meanwhile
                return
            self._drawings[key] = drawing
            self._n_bytes += len(drawing)
            while self._n_bytes > self._most_bytes:
                _, oldest = self._drawings.popitem(last=False)
                self._n_bytes -= len(oldest)
