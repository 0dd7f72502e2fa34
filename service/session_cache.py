"""Warm sessions: models opened in onnxruntime, the least recently used closed when there are too many."""

import threading
from collections import OrderedDict

from storage.models import ModelStore
from storage.object_store import ObjectStore
from tree_explainers.onnx_graph.description import ModelDescription
from tree_explainers.onnx_graph.session import ModelSession


class SessionCache:
    """Opens each model once; safe to use from several threads."""

    def __init__(self, models: ModelStore, objects: ObjectStore, capacity: int) -> None:
        self._models = models
        self._objects = objects
        self._capacity = capacity
        self._sessions: OrderedDict[str, ModelSession] = OrderedDict()
        self._lock = threading.Lock()
        self.n_hits = 0
        self.n_misses = 0

    def __len__(self) -> int:
        return len(self._sessions)

    def get(self, model_id: str) -> ModelSession:
        """Return the model's session, opening it if need be; raise ``NotFound`` for an unknown model."""
        with self._lock:
            if model_id in self._sessions:
                self.n_hits += 1
            else:
                self.n_misses += 1
                self._sessions[model_id] = self._open(model_id)
            self._sessions.move_to_end(model_id)
            while len(self._sessions) > self._capacity:
                self._sessions.popitem(last=False)
            return self._sessions[model_id]

    def forget(self, model_id: str) -> None:
        """Close the model's session, if it is open."""
        with self._lock:
            self._sessions.pop(model_id, None)

    def _open(self, model_id: str) -> ModelSession:
        model = self._models.get(model_id)
        # From bytes, never from a path: the graph must not find files beside it.
        return ModelSession(self._objects.get(model.leaf_graph), ModelDescription.from_json(model.description))
