"""Cases of the table: what is fitted on which data, and how it is registered."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

Estimator: TypeAlias = Any  # of any library, or ONNX as bytes
Rows: TypeAlias = Any  # a DataFrame, an array, a matrix of any library
Fit: TypeAlias = Callable[[Estimator, Rows, Any], Estimator]


@dataclass(frozen=True, slots=True)
class Data:
    """Rows with their targets, as a library takes them."""

    rows: Rows
    target: Any


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a library predicts for some rows."""

    scores: Any  # (n_rows, n_classes), or (n_rows, 1) values; None: the library has none
    labels: list[Any] | None  # as the library has them; None of a regression


@dataclass(frozen=True, slots=True)
class Case:
    """A line of the table."""

    name: str
    estimator: Callable[[], Estimator]  # unfitted, or what ``fit`` returns a fitted one of
    data: str  # name of a table of ``data.TABLES``
    fit: Fit | None = None  # default: estimator.fit(rows, target)
    rows: Callable[[Rows], Rows] | None = None  # what is registered, predicted and sent, made of the fitted rows
    predict: Callable[[Estimator, Rows], Prediction | None] | None = None  # default: as ``library.predict_with``
    options: tuple[tuple[str, Any], ...] = ()  # of registering: oracle_only, classes, …
    ways: tuple[bool, ...] = (True, False)  # with rows, and without them; they may be all that knows the types
    ties: bool = False  # rows whose best scores are equal count, too


@dataclass(frozen=True, slots=True)
class Group:
    """Lines of the table that belong together."""

    title: str
    text: str  # a sentence above them
    cases: tuple[Case, ...]
