"""ModelDescription: what is known of a model once its graph has been read, in plain values that can be kept as JSON."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import accumulate
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..bags import Bags
from ..ensemble import TreeTensor
from .decision_rule import DecisionRule

InputType = Literal["float", "double", "int64", "int32", "bool", "string"]
Task = Literal["classification", "regression"]
Ensemble = Literal["random_forest", "boosting", "other"]
ScoreKind = Literal["probability", "raw", "value"]
Sums = Literal["single", "double", "double_rounded"]
Link = Literal["logistic", "softmax"]
ColumnKind = Literal["identity", "affine", "monotone", "indicator", "ordinal", "transformed"]
_DIGITS_OF_DOUBLES = 17
FunctionStep = tuple[str, float, float, float]


@dataclass(frozen=True, slots=True)
class Scoring:
    """How scores follow from the values of a row's leaves; the label is that of the first highest score."""

    sums: Sums  # the precision in which values are added, tree by tree (and whether sums are rounded to single)
    base_values: tuple[float, ...] = ()  # (n_outputs,) added to the sums; empty: nothing is
    link: Link | None = None  # what makes probabilities of the sums; None: the sums are the scores
    whole: float | None = None  # of two classes, of which trees score the second: the first has what is left of this
    divisor: float | None = None  # of the scores, after all else; None: they are not divided


class ScoreTerm(NamedTuple):
    """A part of a raw score: one of the numbers of a row's leaf, times a factor."""

    output: int  # column of the leaf values
    score: int
    factor: float


@dataclass(frozen=True, slots=True)
class RawScores:
    """Raw scores: an offset for each, and the sum over all trees of the terms of the row's leaf.

    The link makes probabilities of them: ``logistic`` of each by itself, ``softmax`` of all together.
    """

    link: Link | None  # None: the raw scores are the scores
    offsets: tuple[float, ...]  # (n_scores,)
    terms: tuple[tuple[ScoreTerm, ...], ...]  # of the trees of each part of the ensemble
    n_trees: tuple[int, ...]  # (n_parts,)


@dataclass(frozen=True, slots=True)
class InputSpec:
    """One input of the graph; the inputs' columns, one after the other, are the model's features."""

    name: str
    type: InputType
    width: int  # number of columns
    rank: int = 2  # 1: the graph takes shape (n_rows,); 2: (n_rows, width)


def column_types(inputs: Sequence[InputSpec]) -> list[InputType]:
    """Return the type in which the graph takes each raw feature, (n_features,)."""
    return [spec.type for spec in inputs for _ in range(spec.width)]


def column_type(inputs: Sequence[InputSpec], index: int) -> InputType:
    """Return the type in which the graph takes one raw feature."""
    ends = accumulate(spec.width for spec in inputs)
    return next(spec.type for spec, end in zip(inputs, ends, strict=True) if index < end)


@dataclass(frozen=True, slots=True)
class ModelColumn:
    """How one model-side column, which the trees test, maps back to a raw feature.

    Its value is ``base * scale + offset``, in the arithmetic of the graph (usually float32), where ``base`` is by kind:

    - ``identity``, ``affine``: the raw value;
    - ``monotone``: the raw value, too: trees test a monotone function of it, and their thresholds were mapped back to
      raw units when the model was read (``monotone_columns``); scale and offset are 1 and 0;
    - ``indicator``: 1 when the raw value is ``category`` (``None``: when it is missing), otherwise 0;
    - ``ordinal``: ``codes[i]`` when the raw value is ``categories[i]`` (``None``: missing), ``default_code`` when it is
      none of them; a code of ``None`` is a missing value;
    - ``transformed``: not known; ``name`` is all that can be shown.

    A missing raw value counts as ``imputed`` (in raw units, before scale and offset) where that is not ``None``. A text
    equal to the feature's missing token is a missing value, too.
    """

    name: str  # shown to people: the raw feature's name, unless transformed
    kind: ColumnKind
    feature: str | None  # raw feature; for a transformed column, the only one it depends on
    raw_index: int | None  # its index among the model's features
    scale: float = 1.0
    offset: float = 0.0
    imputed: float | str | None = None
    category: float | str | None = None
    categories: tuple[float | str | None, ...] = ()
    codes: tuple[float | None, ...] = ()
    default_code: float | None = None
    # A number in double precision, rounded to single before the trees compare it; a transformed one is single there.
    is_rounded: bool = False
    # While a graph is followed, and for a monotone column: each (name, scale, offset, parameter), applied to the raw
    # value in this order, first ``value * scale + offset``, then the function of that name (``monotone_functions``).
    functions: tuple[FunctionStep, ...] = ()
    sources: tuple[str, ...] = ()  # of a column made of several: the first features
    function: str | None = None  # the functions for people: ``log(income + 1)``

    def shortest_equivalent(self, end: float) -> float:
        """Return the shortest number that the trees cannot distinguish from a rounded end in raw units."""
        if not (self.is_rounded and self.scale and np.isfinite(end)):
            return end
        same = self._compared(end)
        shorter = (float(f"{end:.{digits}g}") for digits in range(1, _DIGITS_OF_DOUBLES))
        return next((number for number in shorter if self._compared(number) == same), end)

    def _compared(self, number: float) -> np.float32:
        with np.errstate(over="ignore"):
            return np.float32(number * self.scale + self.offset)

    @property
    def is_calculated(self) -> bool:
        """Whether numbers are calculated before trees compare them, so that ends in raw units are rounded."""
        return self.kind in ("affine", "monotone")

    @property
    def transformed(self) -> bool:
        """Whether the column could not be mapped back to a raw feature."""
        return self.kind == "transformed"


@dataclass(frozen=True, slots=True)
class ClosedFeature:
    """A raw feature of which the graph refuses all values but those that an encoder knows."""

    raw_index: int
    categories: tuple[float | str | None, ...]  # None: a missing value


@dataclass(frozen=True, slots=True)
class ModelWarning:
    """What limits the explanations of a model, in a sentence."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class Engine:
    """What finds the leaves of many rows and of explained ones; predictions alone are onnxruntime's."""

    name: Literal["walker", "onnxruntime"]
    reason: str | None
    is_compared: bool = True  # otherwise the first job compares the walker with onnxruntime
    has_tail: bool = False  # predictions are made of the walker's sums by the tail of the graph (``score_tail.py``)


NOT_COMPARED = Engine("onnxruntime", "The walker is compared with onnxruntime by the first job.", is_compared=False)


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """What the service keeps of a model beside its graph and its arrays."""

    task: Task
    classes: tuple[str, ...]  # empty for regression
    label_values: tuple[int | str, ...]  # what the graph's label output says for each class
    inputs: tuple[InputSpec, ...]
    feature_names: tuple[str, ...]  # (n_features,)
    missing_tokens: tuple[str | None, ...]  # (n_features,) represents a missing category; None for number features
    n_trees: int
    n_nodes: int
    n_leaves: int
    max_depth: int  # edges on the longest way from a root to a leaf
    operators: tuple[str, ...]  # sorted operator types of the original graph
    ensemble: Ensemble | None
    ensemble_inferred: bool
    label_output: str | None
    score_output: str
    score_kind: ScoreKind
    leaf_output: str  # (n_rows, n_trees), trees in the order of TreeEnsemble; empty of an oracle
    columns: tuple[ModelColumn, ...]  # what TreeEnsemble.column refers to
    # Two scores no further apart than this, of scores up to 1, may stand in their order by rounding alone: as many
    # additions were rounded. 0 where sums are exact.
    rounding: float = 0.0
    closed_features: tuple[ClosedFeature, ...] = ()  # by ascending ``raw_index``
    warnings: tuple[ModelWarning, ...] = ()  # what its reader should know before explaining with it
    oracle_only: bool = False  # predictions alone are used: no trees, columns or leaf output are known
    finite_only: bool = False  # infinite numbers are refused, as the model's library does
    seconds_per_1000_rows: float | None = None  # of processor time, as tried at registration; of oracles alone
    tensors: tuple[TreeTensor, ...] = ()  # that the trees read
    # Otherwise labels come about in another way, such as by a cut-off, and no two scores are near to a tie.
    labels_are_highest: bool = True
    scoring: Scoring | None = None  # None where more is calculated between leaves and scores than it can say
    raw_scores: RawScores | None = None  # None where scores are no function of sums of leaf values, or not known to be
    engine: Engine = NOT_COMPARED
    decision: DecisionRule | None = None  # None: the outcome is the label, or there is none
    bags: Bags | None = None  # None: it is not known which trees learned from which rows

    @property
    def decides_apart(self) -> bool:
        """Whether what is decided of rows is something else than the label that the model predicts."""
        return self.decision is not None and not self.decision.labels_decide

    @property
    def outcomes(self) -> tuple[str, ...]:
        """What is decided of rows: the outcomes of the decision, or else the classes; empty of a plain regression."""
        return self.classes if self.decision is None else self.decision.outcomes

    def outcome_indices(
        self, scores: NDArray[np.floating[Any]], labels: NDArray[np.int64] | None
    ) -> NDArray[np.int64] | None:
        """Return the index of each row's outcome among ``outcomes``, (n_rows,); ``None`` of a plain regression."""
        if self.decision is None:
            return labels
        if self.decision.labels_decide and labels is not None:
            return self.decision.of_labels(labels, self.classes)
        return self.decision.find(scores)

    @property
    def n_features(self) -> int:
        """Number of raw columns."""
        return len(self.feature_names)

    @property
    def missing_texts(self) -> dict[str, str]:
        """By feature: the text that represents a missing category."""
        pairs = zip(self.feature_names, self.missing_tokens, strict=True)
        return {name: token for name, token in pairs if token is not None}

    @property
    def known_numbers(self) -> dict[int, NDArray[np.float64]]:
        """By index of a raw feature whose unknown values are refused: the numbers that the graph takes, if any."""
        numbers = {
            each.raw_index: [number for number in each.categories if isinstance(number, int | float)]
            for each in self.closed_features
        }
        return {index: np.array(values, np.float64) for index, values in numbers.items() if values}

    @property
    def precision(self) -> type[np.float32 | np.float64]:
        """The precision in which the graph takes all raw numbers that it takes."""
        return np.float32 if all(spec.type in {"float", "string"} for spec in self.inputs) else np.float64

    def to_json(self) -> dict[str, Any]:
        """Return plain dicts, lists, strings, numbers, booleans and ``None``; no NaN."""
        document: dict[str, Any] = _plain(self)
        return document

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Self:
        """Return the description that ``to_json`` wrote, also after a round trip through text."""
        values = {name: _frozen(value) for name, value in document.items()}
        scoring = document["scoring"]
        values["scoring"] = Scoring(**{name: _frozen(value) for name, value in scoring.items()}) if scoring else None
        values["raw_scores"] = _raw_scores(document["raw_scores"]) if document["raw_scores"] else None
        values["inputs"] = tuple(InputSpec(**item) for item in document["inputs"])
        values["columns"] = tuple(
            ModelColumn(**{name: _frozen(value) for name, value in item.items()}) for item in document["columns"]
        )
        values["tensors"] = tuple(TreeTensor(**item) for item in document["tensors"])
        values["engine"] = Engine(**document["engine"])
        decision = document["decision"]
        values["decision"] = (
            DecisionRule(**{name: _frozen(value) for name, value in decision.items()}) if decision else None
        )
        bags = document.get("bags")
        values["bags"] = Bags(**{name: _frozen(value) for name, value in bags.items()}) if bags else None
        values["closed_features"] = tuple(
            ClosedFeature(**{name: _frozen(value) for name, value in item.items()})
            for item in document["closed_features"]
        )
        values["warnings"] = tuple(ModelWarning(**item) for item in document["warnings"])
        return cls(**values)


def _raw_scores(document: dict[str, Any]) -> RawScores:
    terms = tuple(tuple(ScoreTerm(*term) for term in part) for part in document["terms"])
    return RawScores(document["link"], tuple(document["offsets"]), terms, tuple(document["n_trees"]))


@dataclass(frozen=True, slots=True)
class GroupColumn:
    """One one-hot column that the caller made before the graph."""

    column: str
    category: str


@dataclass(frozen=True, slots=True)
class FeatureGroup:
    """The one-hot columns that represent one feature."""

    feature: str
    columns: tuple[GroupColumn, ...]

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Self:
        """Return the group written as ``{"feature", "columns": [{"column", "category"}]}``."""
        return cls(document["feature"], tuple(GroupColumn(**item) for item in document["columns"]))


@dataclass(frozen=True, slots=True)
class DeclaredModel:
    """What the caller states about a model; ``None`` leaves it to the graph."""

    feature_names: tuple[str, ...] | None = None
    classes: tuple[str, ...] | None = None
    ensemble: Ensemble | None = None
    feature_groups: tuple[FeatureGroup, ...] = ()
    oracle_only: bool = False
    finite_only: bool = False


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """How large a model may be."""

    max_nodes: int = 20_000_000
    max_trees: int = 10_000
    max_depth: int = 512
    max_outputs: int = 1_000  # classes or targets
    max_features: int = 10_000
    max_operators: int = 6_000  # bagging of 1,000 trees makes about 4,000
    max_name_bytes: int = 1 << 20  # of all features and classes together
    max_description_bytes: int = 24 << 20  # as JSON: columns and their categories, too
    max_leaf_values: int = 100_000_000  # leaves x outputs, 8 bytes each
    max_oracle_milliseconds: int = 1_000  # of processor time per 1,000 rows


def _plain(value: Any) -> Any:  # any JSON value
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return value


def _frozen(value: Any) -> Any:  # any JSON value
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
