"""Warm caches: explainers and model sessions in memory; the least recently used is dropped when there are too many.

What makes this more than an LRU dictionary is that nothing is warmed up twice: callers that need the same item wait for
the caller that warms it up, and callers that need others do not.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Generic, TypeVar

from storage.models import ModelStore
from storage.object_store import ObjectStore
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.onnx_models.session import ModelSession

Warm = TypeVar("Warm")


class LocksById:
    """A lock for each id, which exists while a caller needs it."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._locks: dict[str, tuple[Lock, int]] = {}  # and the number of those that hold it or wait for it

    @contextmanager
    def held(self, identifier: str) -> Iterator[None]:
        """Hold the id's lock."""
        with self._guard:
            lock, n_users = self._locks.get(identifier, (Lock(), 0))
            self._locks[identifier] = lock, n_users + 1
        try:
            with lock:
                yield
        finally:
            self._release(identifier)

    def _release(self, identifier: str) -> None:
        with self._guard:
            lock, n_users = self._locks.pop(identifier)
            if n_users > 1:
                self._locks[identifier] = lock, n_users - 1


class WarmCache(Generic[Warm]):
    """Warm things by id; safe to use from several threads.

    Parameters
    ----------
    capacity
        Number of things that are kept.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._warm: OrderedDict[str, Warm] = OrderedDict()
        self._lock = threading.Lock()  # never held for long
        self._warming = LocksById()
        self.n_hits = 0
        self.n_misses = 0

    def __len__(self) -> int:
        return len(self._warm)

    def find(self, identifier: str) -> Warm | None:
        """Return the thing if it is warm; takes no lock, no database and no disk."""
        warm = self._warm.get(identifier)
        if warm is not None:
            self.n_hits += 1
            with suppress(KeyError):  # another thread may have dropped it meanwhile
                self._warm.move_to_end(identifier)
        return warm

    def forget(self, identifier: str) -> None:
        """Drop the thing, if it is warm."""
        with self._warming.held(identifier), self._lock:
            self._warm.pop(identifier, None)

    def _keep(self, identifier: str, warm: Warm) -> None:
        with self._lock:
            self._warm[identifier] = warm
            self._warm.move_to_end(identifier)
            while len(self._warm) > self._capacity:
                self._warm.popitem(last=False)


class LoadingCache(WarmCache[Warm]):
    """Warm things that their callers know how to warm up; ``find`` is on the hot path."""

    def get(self, identifier: str, warm_up: Callable[[], Warm]) -> Warm:
        """Return the thing, warmed up if necessary; not counted as a hit, as ``find`` has been called before."""
        with self._warming.held(identifier):
            warm = self._warm.get(identifier)
            if warm is None:
                self.n_misses += 1
                warm = warm_up()
            self._keep(identifier, warm)
            return warm


class SessionCache(WarmCache[ModelSession]):
    """Models opened in onnxruntime."""

    def __init__(self, models: ModelStore, objects: ObjectStore, capacity: int) -> None:
        super().__init__(capacity)
        self._models = models
        self._objects = objects

    def get(self, model_id: str) -> ModelSession:
        """Return the model's session, opened if necessary; raise ``NotFound`` for an unknown model."""
        with self._warming.held(model_id):
            with self._lock:
                session = self.find(model_id)
            if session is None:
                session = self._open(model_id)
                self.n_misses += 1
                self._keep(model_id, session)
            return session

    def _open(self, model_id: str) -> ModelSession:
        model = self._models.get(model_id)
        # From bytes, never from a path: the graph must not find files beside it.
        return ModelSession(self._objects.get(model.leaf_graph), ModelDescription.from_json(model.description))
