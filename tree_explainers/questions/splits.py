"""Questions: what the nodes of an ensemble ask of each model-side column, each distinct question once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..ensemble import Operator, TreeEnsemble
from ..onnx_models.description import ModelColumn


@dataclass(frozen=True, slots=True)
class Questions:
    """The distinct questions about one model-side column; yes goes left."""

    operator: NDArray[np.uint8]  # (n_questions,) an Operator
    threshold: NDArray[np.float64]  # (n_questions,)
    missing_left: NDArray[np.bool_]  # (n_questions,)
    members: tuple[NDArray[np.float64], ...]  # the sets of MEMBER questions, whose threshold is a position in here

    def select(self, which: NDArray[np.bool_]) -> "Questions":
        """Return those questions that are marked, in order."""
        return Questions(self.operator[which], self.threshold[which], self.missing_left[which], self.members)

    def answer(self, value: float | None) -> NDArray[np.bool_]:
        """Return whether each question is answered with yes, (n_questions,); ``None`` is a missing value."""
        if value is None or np.isnan(value):
            return self.missing_left
        yes = np.empty(len(self.operator), dtype=np.bool_)
        for operator in np.unique(self.operator):
            own = self.operator == operator
            yes[own] = self._answer_alike(Operator(operator), self.threshold[own], value)
        return yes

    def _answer_alike(self, operator: Operator, thresholds: NDArray[np.float64], value: float) -> NDArray[np.bool_]:
        if operator == Operator.MEMBER:
            # onnxruntime cuts fractions off before it looks into a set.
            return np.array([np.trunc(value) in self.members[int(each)] for each in thresholds], dtype=np.bool_)
        return _COMPARE[operator](value, thresholds)


_COMPARE = {
    Operator.LEQ: np.less_equal,
    Operator.LT: np.less,
    Operator.GTE: np.greater_equal,
    Operator.GT: np.greater,
    Operator.EQ: np.equal,
    Operator.NEQ: np.not_equal,
}


def questions_of(ensemble: TreeEnsemble) -> dict[int, Questions]:
    """Return the distinct questions about each model-side column that some node asks about, by ascending column."""
    inner = np.flatnonzero(ensemble.operator != Operator.LEAF)
    keys = [getattr(ensemble, name)[inner] for name in _KEYS]
    order = np.lexsort(keys)
    keys = [key[order] for key in keys]
    is_new = np.ones(len(inner), dtype=np.bool_)
    is_new[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    missing_left, threshold, operator, column = (key[is_new] for key in keys)
    columns, starts = np.unique(column, return_index=True)
    ends = np.append(starts, len(column))[1:]
    return {
        int(at): Questions(operator[first:end], threshold[first:end], missing_left[first:end], ensemble.members)
        for at, first, end in zip(columns, starts, ends, strict=True)
    }


_KEYS = ("missing_left", "threshold", "operator", "column")  # the last is the first to sort by


def model_value(column: ModelColumn, base: float | None) -> float | None:
    """Return what trees read in a column, in float32, as graphs calculate; ``None`` is a missing value."""
    if base is None:
        return None
    return float(np.float32(base) * np.float32(column.scale) + np.float32(column.offset))


def base_of(column: ModelColumn, value: float | str | None) -> float | None:
    """Return what an indicator or ordinal column makes of a raw category, before scale and offset.

    ``None`` is a missing raw value, which counts as what is put in its place.
    """
    if value is None:
        value = column.imputed
    if column.kind == "indicator":
        return float(value == column.category)
    return dict(zip(column.categories, column.codes, strict=True)).get(value, column.default_code)
