"""WarmChanges: a model and its reference rows, made ready for curves and changes when they are first requested."""

from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any

from numpy.typing import NDArray

from tree_explainers.changes.axis_search import feature_names
from tree_explainers.changes.curves import CurveModel
from tree_explainers.changes.feature_moves import Constraint
from tree_explainers.changes.smallest_changes import ChangeSearch
from tree_explainers.ensemble import TreeEnsemble
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.onnx_models.tree_inputs import TreeInputs
from tree_explainers.onnx_models.walked_parts import WalkedParts
from tree_explainers.rows import Rows


class WarmChanges:
    """The search of an explainer; it is made when it is first needed. Safe to use from any thread.

    Parameters
    ----------
    session
        The open model.
    read_ensemble
        Reads the model's trees, as arrays.
    read_rows
        Reads the reference rows, at least one.
    shown
        Names of the features that callers may see; None: all.
    """

    def __init__(
        self,
        session: ModelSession,
        read_ensemble: Callable[[], Mapping[str, NDArray[Any]]],
        read_rows: Callable[[], Rows],
        shown: frozenset[str] | None,
    ) -> None:
        self._session = session
        self._read_ensemble, self._read_rows = read_ensemble, read_rows
        self._search: ChangeSearch | None = None
        self._lock = Lock()
        names, features = session.description.feature_names, feature_names(session.description)
        self._feature_of = dict(zip(names, features, strict=True))
        self.hidden = frozenset(
            feature for name, feature in self._feature_of.items() if shown is not None and name not in shown
        )

    @property
    def is_open(self) -> bool:
        """Whether the search is made."""
        return self._search is not None

    def open(self) -> ChangeSearch:
        """Return the search, made if need be."""
        if self._search is None:
            with self._lock:
                self._search = self._search or self._made()
        return self._search

    def constraints(self, of_columns: Mapping[str, Constraint]) -> dict[str, Constraint]:
        """Return the constraints of features, hidden ones included, from those of raw columns.

        Columns of a one-hot group have one feature, the group.
        """
        of_features = {self._feature_of[name]: constraint for name, constraint in of_columns.items()}
        return of_features | dict.fromkeys(self.hidden, "fixed")

    def _made(self) -> ChangeSearch:
        arrays, rows = self._read_ensemble(), self._read_rows()
        ensemble, parts = TreeEnsemble.from_arrays(arrays), WalkedParts.from_arrays(arrays)
        inputs = TreeInputs(self._session.description, ensemble, parts)
        return ChangeSearch(CurveModel.of(self._session, inputs, rows), rows)
