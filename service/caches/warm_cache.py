"""Warm caches: explainers and model sessions in memory; the least recently used is dropped when there are too many.

What makes this more than an LRU dictionary is that nothing is warmed up twice: callers that need the same item wait for
the caller that warms it up, and callers that need others do not. What they need to be run, compiled loops, is loaded
before the first of them.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Lock, Thread
from typing import Generic, TypeVar

from storage.models import ModelStore
from storage.object_store import ObjectStore
from storage.settings import memory_bytes
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.onnx_models.session import ModelSession, load_runtime
from tree_explainers.warm import are_compiled, compile_loops, compile_loops_at_once

from ..freed_memory import return_freed_memory

_SECONDS_TO_BECOME_READY = 0.5
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
            with self._guard:
                lock, n_users = self._locks.pop(identifier)
                if n_users > 1:
                    self._locks[identifier] = lock, n_users - 1


class RequestLoops:
    """The compiled loops that answer requests, with numba and onnxruntime: loading takes a second of a processor.

    A service that has nothing to answer does without them. They are loaded in a thread as soon as there is a model, or
    a relational dataset to make features of (``load_soon``), or else when the first thing is warmed up that needs them
    (``load``). Where they have never been compiled, they are compiled when the service starts: nothing is compiled
    while a request waits.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._are_loaded = False
        self._thread = Thread(target=self._load_later, name="loops", daemon=True)
        self._is_closed = Event()

    @property
    def are_loaded(self) -> bool:
        """Whether nothing has to be loaded any more."""
        return self._are_loaded

    def compile(self) -> None:
        """Compile them, unless the cache has them."""
        if not are_compiled():
            compile_loops_at_once(memory_bytes(), for_jobs=False)
            self.load()

    def load(self) -> None:
        """Load them, or wait until another thread has."""
        with self._lock:
            if not self._are_loaded:
                compile_loops(for_jobs=False)
                load_runtime()
                self._are_loaded = True

    def load_soon(self) -> None:
        """Have a thread load them in a moment, when a service that starts is ready."""
        with suppress(RuntimeError):  # it was started before
            self._thread.start()

    def close(self) -> None:
        """Wait for the thread: a process must not end while one is inside the compiler's library."""
        self._is_closed.set()
        if self._thread.is_alive():
            self._thread.join()

    def _load_later(self) -> None:
        if not self._is_closed.wait(_SECONDS_TO_BECOME_READY):
            self.load()


class WarmCache(Generic[Warm]):
    """Warm things by id; safe to use from several threads.

    Parameters
    ----------
    capacity
        Number of things that are kept.
    prepare
        Called before anything is warmed up.
    """

    def __init__(self, capacity: int, prepare: Callable[[], None] = lambda: None) -> None:
        self._capacity = capacity
        self._prepare = prepare
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
            try:  # noqa: SIM105  # a context takes a microsecond, of each call
                self._warm.move_to_end(identifier)
            except KeyError:  # another thread has dropped it meanwhile
                pass
        return warm

    def forget(self, identifier: str) -> None:
        """Drop the thing, if it is warm."""
        with self._warming.held(identifier), self._lock:
            self._warm.pop(identifier, None)

    def replace(self, identifier: str, warm: Warm, by: Warm) -> None:
        """Put something in the place of a warm thing, unless that was dropped or replaced meanwhile."""
        with self._lock:
            if self._warm.get(identifier) is warm:
                self._warm[identifier] = by

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
                self._prepare()
                warm = warm_up()
                return_freed_memory()
            self._keep(identifier, warm)
            return warm


class SessionCache(WarmCache[ModelSession]):
    """Models opened in onnxruntime."""

    def __init__(
        self, models: ModelStore, objects: ObjectStore, capacity: int, prepare: Callable[[], None] = lambda: None
    ) -> None:
        super().__init__(capacity, prepare)
        self._models = models
        self._objects = objects

    def get(self, model_id: str) -> ModelSession:
        """Return the model's session, opened if necessary; raise ``NotFound`` for an unknown model."""
        with self._warming.held(model_id):
            with self._lock:
                session = self.find(model_id)
            if session is None:
                model = self._models.get(model_id)
                self._prepare()
                # From bytes, never from a path: the graph must not find files beside it.
                session = ModelSession(
                    self._objects.get(model.leaf_graph), ModelDescription.from_json(model.description)
                )
                self.n_misses += 1
                self._keep(model_id, session)
                # Of a graph of 20 MB, onnxruntime frees 130 MB when it is open.
                return_freed_memory()
            return session
