"""Warm explainers, in memory; the least recently used is dropped when there are too many."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress

from explanations.warm_explainer import WarmExplainer

from .locks_by_id import LocksById


class ExplainerCache:
    """Warm explainers by id. Looking one up takes no lock, no database and no disk."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._warm: OrderedDict[str, WarmExplainer] = OrderedDict()
        self._lock = threading.Lock()  # never held for long
        self._warming = LocksById()
        self.n_hits = 0
        self.n_misses = 0

    def __len__(self) -> int:
        return len(self._warm)

    def find(self, explainer_id: str) -> WarmExplainer | None:
        """Return the explainer if it is warm."""
        warm = self._warm.get(explainer_id)
        if warm is not None:
            self.n_hits += 1
            with suppress(KeyError):  # another thread may have dropped it meanwhile
                self._warm.move_to_end(explainer_id)
        return warm

    def get(self, explainer_id: str, warm_up: Callable[[], WarmExplainer]) -> WarmExplainer:
        """Return the explainer, warming it up if need be; who needs the same one waits, so that none is made twice."""
        with self._warming.held(explainer_id):
            warm = self._warm.get(explainer_id) or self._missed(warm_up)
            with self._lock:
                self._warm[explainer_id] = warm
                self._warm.move_to_end(explainer_id)
                while len(self._warm) > self._capacity:
                    self._warm.popitem(last=False)
            return warm

    def forget(self, explainer_id: str) -> None:
        """Drop the explainer, if it is warm."""
        with self._warming.held(explainer_id), self._lock:
            self._warm.pop(explainer_id, None)

    def _missed(self, warm_up: Callable[[], WarmExplainer]) -> WarmExplainer:
        self.n_misses += 1
        return warm_up()
