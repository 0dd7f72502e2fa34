"""Curves of a row's score, feature by feature: steps of numbers, bars of categories, and where the row is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from json import dumps
from math import ceil, inf
from typing import Any

from .columns import ColumnName, ColumnNames
from .scales import Axis
from .words import number

Json = Mapping[str, Any]

_N_FIRST = 6  # curves that are seen at once; the others are folded away
_N_CATEGORIES = 6  # of a curve


@dataclass(frozen=True, slots=True)
class Level:
    """A score at which one outcome ends and the next begins."""

    y: float
    score: float


@dataclass(frozen=True, slots=True)
class CategoryScore:
    """The score with a category."""

    name: str | None  # None: any other, or none of them
    score: float
    width: float  # of its bar, in units of the picture
    is_own: bool


@dataclass(frozen=True, slots=True)
class Steps:
    """The scores of all numbers, as a line."""

    path: str
    row: tuple[float, float] | None  # where the row is; None: its value is missing
    ends: tuple[float, float]  # the numbers at the left and the right end
    stops: tuple["Stop", ...]  # a number of each step, which the row can be moved to
    own_stop: int  # the one of the row's own step; 0 where its value is missing

    def said_stops(self, column: ColumnName) -> str:
        """Return the stops as JSON: the text that a field takes, number and score as people read them, and place."""
        return dumps(
            [[repr(each.value), column.number(each.value), number(each.score), each.x, each.y] for each in self.stops]
        )


@dataclass(frozen=True, slots=True)
class Stop:
    """A number, the score with it, and where both are in the picture."""

    value: float
    score: float
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Panel:
    """The curve of one feature: of a number its steps, of all others their categories."""

    column: ColumnName
    value: Any  # of the row
    low: float  # the lowest score, and the highest
    high: float
    steps: Steps | None
    categories: tuple[CategoryScore, ...]
    missing: float | None  # the score with a missing value; None: the model takes none
    n_left: int  # categories that are not shown


@dataclass(frozen=True, slots=True)
class ScoreCurves:
    """All curves of a row, on one scale of scores; each ``WIDTH`` wide and ``HEIGHT`` high."""

    of: str | None  # the class whose score it is; None for regression
    score: float  # of the row
    low: float  # the scores at the lower and at the upper edge
    high: float
    is_by_rank: bool  # numbers stand by rank among the reference rows
    levels: tuple[Level, ...]
    first: tuple[Panel, ...]
    more: tuple[Panel, ...]

    WIDTH, HEIGHT = 240, 84
    INSET = 7

    @property
    def word(self) -> str:
        """What is drawn: the value of a regression, else the score of a class."""
        return "value" if self.of is None else "score"

    @classmethod
    def of_row(cls, row: Json, columns: Mapping[str, Json], names: ColumnNames) -> "ScoreCurves | None":
        """Return the curves of an explanation; None where it has none.

        Parameters
        ----------
        row
            An explanation, with or without ``curves``.
        columns
            What is known of the reference dataset's columns, by name.
        names
            The same columns' names.
        """
        curves = row.get("curves")
        if not curves:
            return None
        of = curves[0].get("score_of")
        score = _own_score(row, of)
        scale = _Scale.of([score, *chain.from_iterable(map(_scores, curves))])
        panels = [_panel(curve, score, scale, columns.get(curve["feature"]), names) for curve in curves]
        decision = row.get("decision") or {}
        ends = [band["below"] for band in (decision.get("bands") or ())[:-1]] if decision.get("score_of") == of else []
        return cls(
            of=of,
            score=score,
            low=scale.low,
            high=scale.high,
            is_by_rank=any(columns.get(curve["feature"], {}).get("quantiles") for curve in curves),
            levels=tuple(Level(scale.y(end), end) for end in ends if scale.low < end < scale.high),
            first=tuple(panels[:_N_FIRST]),
            more=tuple(panels[_N_FIRST:]),
        )


@dataclass(frozen=True, slots=True)
class _Scale:
    """The scores of all panels, from the lower edge to the upper one."""

    low: float
    high: float

    @classmethod
    def of(cls, scores: Sequence[float]) -> "_Scale":
        low, high = min(scores), max(scores)
        return cls(low, high) if low < high else cls(low - 0.5, high + 0.5)

    def share(self, score: float) -> float:
        return (score - self.low) / (self.high - self.low)

    def y(self, score: float) -> float:
        inner = ScoreCurves.HEIGHT - 2 * ScoreCurves.INSET
        return round(ScoreCurves.INSET + inner * (1 - self.share(score)), 1)


def _own_score(row: Json, of: str | None) -> float:
    prediction = row["prediction"]
    if of is None:
        return float(prediction["value"])
    return next(float(score["value"]) for score in prediction["scores"] if score["label"] == of)


def _scores(curve: Json) -> list[float]:
    missing = [curve["missing"]] if "missing" in curve else []
    return [*(step["score"] for step in curve["steps"]), *missing]


def _panel(curve: Json, score: float, scale: _Scale, column: Json | None, names: ColumnNames) -> Panel:
    scores, is_number = _scores(curve), _is_number(curve)
    axis, n_decimals = Axis.of(column), (column or {}).get("decimals")
    categories = () if is_number else _categories(curve, scale)
    return Panel(
        column=names[curve["feature"]],
        value=curve["value"],
        low=min(scores),
        high=max(scores),
        steps=_steps(curve, score, scale, axis or _axis_of(curve), n_decimals) if is_number else None,
        categories=categories,
        missing=curve.get("missing"),
        n_left=0 if is_number else len(curve["steps"]) - len(categories) + curve.get("n_left_out", 0),
    )


def _is_number(curve: Json) -> bool:
    return all("value" not in step for step in curve["steps"])


def _axis_of(curve: Json) -> Axis:
    """Return an axis that shows all steps and the row: of its column nothing else is known."""
    numbers = [step["from"] for step in curve["steps"] if "from" in step]
    if isinstance(curve["value"], int | float):
        numbers.append(float(curve["value"]))
    low, high = min(numbers, default=0.0), max(numbers, default=0.0)
    margin = 0.1 * (high - low) or 0.1 * abs(low) or 1.0
    return Axis((low - margin, high + margin), by_rank=False)


def _steps(curve: Json, score: float, scale: _Scale, axis: Axis, n_decimals: int | None) -> Steps:
    left, right = ScoreCurves.INSET, ScoreCurves.WIDTH - ScoreCurves.INSET

    def x(value: float) -> float:
        return round(left + (right - left) * axis.place(value), 1)

    first, *others = curve["steps"]
    path = f"M{left} {scale.y(first['score'])}"
    path += "".join(f"H{x(step['from'])}V{scale.y(step['score'])}" for step in others) + f"H{right}"
    value = curve["value"]
    own = value if isinstance(value, int | float) else None
    reached = _reached(curve["steps"], own, axis.points[0], n_decimals)
    stops = tuple(Stop(each, with_it, x(each), scale.y(with_it)) for each, with_it in reached)
    return Steps(
        path=path,
        row=None if own is None else (x(own), scale.y(score)),
        ends=(axis.points[0], axis.points[-1]),
        stops=stops,
        own_stop=next((index for index, stop in enumerate(stops) if stop.value == own), 0),
    )


def _reached(
    steps: Sequence[Json], own: float | None, lowest: float, n_decimals: int | None
) -> list[tuple[float, float]]:
    """Return a number of each step with its score: the row's own, else the lowest that the column could hold."""
    reached = []
    for step, end in zip(steps, [*(step["from"] for step in steps[1:]), inf], strict=True):
        begin = step.get("from", min(lowest, end))
        if own is not None and step.get("from", -inf) <= own < end:
            reached.append((own, step["score"]))
        elif begin < end:
            reached.append((_rounded_up(begin, end, n_decimals), step["score"]))
    return reached


def _rounded_up(value: float, end: float, n_decimals: int | None) -> float:
    """Return the lowest number from ``value`` on with so many decimals; ``value`` where that is beyond ``end``."""
    if n_decimals is None:
        return value
    rounded = ceil(value * 10**n_decimals) / 10**n_decimals
    return rounded if value <= rounded < end else value


def _categories(curve: Json, scale: _Scale) -> tuple[CategoryScore, ...]:
    """Return the categories: the row's own, and those whose scores are lowest and highest."""
    own = None if curve["value"] is None else str(curve["value"])
    scored = sorted(curve["steps"], key=lambda step: (step.get("value") != own, -step["score"]))
    if len(scored) > _N_CATEGORIES:
        scored = [*scored[: _N_CATEGORIES // 2], *scored[-_N_CATEGORIES // 2 :]]
    return tuple(
        CategoryScore(
            step.get("value"),
            step["score"],
            round(ScoreCurves.WIDTH * scale.share(step["score"]), 1),
            is_own=step.get("value") == own,
        )
        for step in sorted(scored, key=lambda step: -step["score"])
    )
