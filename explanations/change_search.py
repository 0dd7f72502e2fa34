"""WarmChanges: a model and its reference rows, made ready for curves and changes when they are first requested."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any

from numpy.typing import NDArray

from tree_explainers.changes.axis_search import feature_names
from tree_explainers.changes.curves import CurveModel
from tree_explainers.changes.feature_moves import Constraint
from tree_explainers.changes.smallest_changes import ChangeSearch
from tree_explainers.ensemble import TreeEnsemble
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.onnx_models.tree_inputs import TreeInputs
from tree_explainers.onnx_models.walked_parts import WalkedParts
from tree_explainers.rows import Rows


@dataclass(frozen=True, slots=True)
class ChangeBounds:
    """What an explainer keeps from being changed and shown, whatever a request says; columns of a group have one name.

    A request may bind more, and nothing less: what it and the dictionary bind differently does not change at all.
    """

    feature_of: Mapping[str, str]  # of raw columns
    hidden: frozenset[str]  # features that callers may not see
    constraints: Mapping[str, Constraint]  # of features
    fixed: frozenset[str]  # raw columns that the dictionary fixes

    @classmethod
    def of(
        cls, description: ModelDescription, shown: frozenset[str] | None, of_columns: Mapping[str, Constraint]
    ) -> "ChangeBounds":
        """Return the bounds of a model's features.

        Parameters
        ----------
        shown
            Names of the features that callers may see; None: all.
        of_columns
            How a dictionary binds raw columns.
        """
        feature_of = dict(zip(description.feature_names, feature_names(description), strict=True))
        hidden = frozenset(feature for name, feature in feature_of.items() if shown is not None and name not in shown)
        constraints = _joined(feature_of, of_columns.items())
        fixed = frozenset(name for name, feature in feature_of.items() if constraints.get(feature) == "fixed")
        return cls(feature_of, hidden, constraints, fixed)

    def with_those_of(self, of_columns: Mapping[str, Constraint]) -> dict[str, Constraint]:
        """Return the constraints of features, hidden ones included, with those of a request, by raw column."""
        known = [*self.constraints.items(), *((self.feature_of[name], each) for name, each in of_columns.items())]
        return _joined({}, known) | dict.fromkeys(self.hidden, "fixed")


def _joined(feature_of: Mapping[str, str], constraints: Iterable[tuple[str, Constraint]]) -> dict[str, Constraint]:
    joined: dict[str, Constraint] = {}
    for name, constraint in constraints:
        feature = feature_of.get(name, name)
        joined[feature] = constraint if joined.get(feature, constraint) == constraint else "fixed"
    return joined


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
    """

    def __init__(
        self,
        session: ModelSession,
        read_ensemble: Callable[[], Mapping[str, NDArray[Any]]],
        read_rows: Callable[[], Rows],
    ) -> None:
        self._session = session
        self._read_ensemble, self._read_rows = read_ensemble, read_rows
        self._search: ChangeSearch | None = None
        self._lock = Lock()

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

    def _made(self) -> ChangeSearch:
        arrays, rows = self._read_ensemble(), self._read_rows()
        ensemble, parts = TreeEnsemble.from_arrays(arrays), WalkedParts.from_arrays(arrays)
        inputs = TreeInputs(self._session.description, ensemble, parts)
        return ChangeSearch(CurveModel.of(self._session, inputs, rows), rows)
