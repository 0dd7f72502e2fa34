"""Warm sessions: models opened in onnxruntime, the least recently used closed when there are too many."""

import threading
from collections import OrderedDict

from storage.models import ModelStore
from storage.object_store import ObjectStore
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.onnx_models.session import ModelSession

from .locks_by_id import LocksById


class SessionCache:
    """Opens each model once, and meanwhile hands out others; safe to use from several threads."""

    def __init__(self, models: ModelStore, objects: ObjectStore, capacity: int) -> None:
        self._models = models
        self._objects = objects
        self._capacity = capacity
        self._sessions: OrderedDict[str, ModelSession] = OrderedDict()
        self._lock = threading.Lock()  # never held for long
        self._opening = LocksById()
        self.n_hits = 0
        self.n_misses = 0

    def __len__(self) -> int:
        return len(self._sessions)

    def get(self, model_id: str) -> ModelSession:
        """Return the model's session, opening it if need be; raise ``NotFound`` for an unknown model."""
        with self._opening.held(model_id):
            return self._found(model_id) or self._opened(model_id)

    def forget(self, model_id: str) -> None:
        """Close the model's session, if it is open."""
        with self._opening.held(model_id), self._lock:
            self._sessions.pop(model_id, None)

    def _found(self, model_id: str) -> ModelSession | None:
        with self._lock:
            session = self._sessions.get(model_id)
            if session is not None:
                self.n_hits += 1
                self._sessions.move_to_end(model_id)
            return session

    def _opened(self, model_id: str) -> ModelSession:
        session = self._open(model_id)
        with self._lock:
            self.n_misses += 1
            self._sessions[model_id] = session
            while len(self._sessions) > self._capacity:
                self._sessions.popitem(last=False)
        return session

    def _open(self, model_id: str) -> ModelSession:
        model = self._models.get(model_id)
        # From bytes, never from a path: the graph must not find files beside it.
        return ModelSession(self._objects.get(model.leaf_graph), ModelDescription.from_json(model.description))
