"""Effects as a waterfall from a reference case's score to the row's, and a decision on its bands."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import tanh
from typing import Any

from .columns import ColumnName, ColumnNames
from .words import DIGITS, counted, digits_beside, distinct_numbers, effect_scale, number, reference_case

Json = Mapping[str, Any]

_MOST_DIGITS = 9  # of a score
_MOST_STEPS = 8  # features that have a line of their own: more would not be read, nor fit on the page with the rest


@dataclass(frozen=True, slots=True)
class Step:
    """A line of a waterfall: by how much a feature, or all those that are not listed together, move the score."""

    column: ColumnName | None  # None: the features that are not listed
    said: str  # of those, how many there are
    values: tuple[Any, ...]  # of the row and of the reference case, as far as they are known
    effect: float
    low: float  # where its bar begins, and how wide it is, in units of the picture
    width: float
    start: float  # where the line before ended
    end: float
    is_protected: bool = False  # by the dictionary: it counts, and is no reason


@dataclass(frozen=True, slots=True)
class Waterfall:
    """Effects that add up from the score of a reference case to that of the row; ``WIDTH`` wide."""

    of: str | None  # the class whose score it is; None for regression
    scale: str  # in words
    is_rescaled: bool  # from log-odds to points of probability, by the rescale rule
    reference: Json
    before: float  # the score of the reference case
    after: float  # that of the row
    steps: tuple[Step, ...]

    WIDTH = 240
    _INSET = 8

    @classmethod
    def of_effects(cls, effects: Json, names: ColumnNames) -> "Waterfall":
        """Return the waterfall of an explanation's effects; in probability, where log-odds can be said so."""
        effects = _shortened(effects)
        n_others, (sizes, scale) = effects["rest"]["n_features"], sizes_of(effects)
        before, after = effects["reference"]["score"], effects["score"]
        is_rescaled = scale == "probability"
        if is_rescaled:
            before, after = effects["reference"]["probability"], _logistic(after)
        if n_others:
            sizes.append(after - before - sum(sizes) if is_rescaled else effects["rest"]["effect"])
        return cls(
            of=effects.get("of"),
            scale=scale,
            is_rescaled=is_rescaled,
            reference=effects["reference"],
            before=before,
            after=after,
            steps=cls._steps(before, sizes, effects, names),
        )

    @classmethod
    def _steps(cls, before: float, sizes: Sequence[float], effects: Json, names: ColumnNames) -> tuple[Step, ...]:
        sums = list(accumulate(sizes, initial=before))
        lowest, span = min(sums), max(sums) - min(sums)
        inner = cls.WIDTH - 2 * cls._INSET
        places = [round(cls._INSET + inner * ((each - lowest) / span if span else 0.5), 1) for each in sums]
        others = counted(effects["rest"]["n_features"], "other feature")
        lines = [
            (names[each["feature"]], "", _values(each), bool(each.get("protected"))) for each in effects["features"]
        ]
        return tuple(
            Step(
                column, said, values, size, min(start, end), max(1.0, round(abs(end - start), 1)), start, end, protected
            )
            for (column, said, values, protected), size, (start, end) in zip(
                [*lines, (None, others, (), False)], sizes, pairwise(places), strict=False
            )
        )

    @property
    def mean(self) -> str | None:
        """Which rows effects are means over, in words; None: they are against one row."""
        return None if "row_id" in self.reference else reference_case(self.reference)

    @property
    def direction(self) -> str:
        """How the row's score compares with that of the reference case."""
        return "as high" if self.before == self.after else "higher" if self.before < self.after else "lower"


def sizes_of(effects: Json) -> tuple[list[float], str]:
    """Return the sizes of the listed effects, and what they are in: in probability, where log-odds can be said so."""
    listed = effects["features"]
    is_rescaled = bool(listed) and all("points" in each for each in listed)
    scale = "probability" if is_rescaled else effect_scale(effects["scale"])
    return [each["points" if is_rescaled else "effect"] for each in listed], scale


def effects_on(several: Sequence[Json], said: Callable[[Any], Any] = str) -> str:
    """Return what the effects of several rows are on: ``on the probability of defaulted``; nothing without effects.

    ``said`` gives what people call a class. Where the rows' effects are on scores of several classes, it is the
    predicted one.
    """
    if not several:
        return ""
    scales, classes = {sizes_of(each)[1] for each in several}, {each.get("of") for each in several}
    of = "" if classes == {None} else f" of {said(next(iter(classes))) if len(classes) == 1 else 'the predicted class'}"
    return f"on the {' or '.join(sorted(scales))}{of}"


def _values(effect: Json) -> tuple[Any, ...]:
    """Return the values of the row and of the reference case, as far as there are any; in words where there are."""
    names = (("value", "value_text"), ("reference_value", "reference_text"))
    said = tuple(effect.get(words, effect[name]) for name, words in names if name in effect)
    if len(said) == 2 and all(isinstance(value, int | float) and not isinstance(value, bool) for value in said):
        return distinct_numbers(*said)
    return said


def _shortened(effects: Json) -> Json:
    """Return effects of few features; those of the others are added up."""
    listed, left, rest = effects["features"][:_MOST_STEPS], effects["features"][_MOST_STEPS:], effects["rest"]
    others = {
        "n_features": rest["n_features"] + len(left),
        "effect": rest["effect"] + sum(each["effect"] for each in left),
    }
    return {**effects, "features": listed, "rest": others}


@dataclass(frozen=True, slots=True)
class BandOnAxis:
    """A band of a decision: where it lies on the picture, and which scores it has, in words."""

    outcome: str
    low: float
    width: float
    ends: str
    is_decided: bool


@dataclass(frozen=True, slots=True)
class DecisionBar:
    """The bands of a decision side by side, with the score that decides; ``WIDTH`` wide."""

    score: str  # in as few digits, four at least, as keep it in its band
    score_of: str | None
    place: float
    bands: tuple[BandOnAxis, ...]

    WIDTH = 240

    @classmethod
    def of_decision(cls, decided: Json | None, said: Callable[[Any], Any] = str) -> "DecisionBar | None":
        """Return the bar of an explanation's decision; None where it has no bands.

        ``said`` gives what people call an outcome.
        """
        bands = (decided or {}).get("bands")
        if decided is None or not bands:
            return None
        score, ends = decided["score"], [band["below"] for band in bands[:-1]]
        low, high = _axis(score, ends, is_share="score_of" in decided)
        places = [round(cls.WIDTH * (each - low) / (high - low), 1) for each in (low, *ends, high)]
        return cls(
            score=number(score, digits_beside(score, ends, DIGITS, _MOST_DIGITS)),
            score_of=decided.get("score_of"),
            place=round(cls.WIDTH * (score - low) / (high - low), 1),
            bands=tuple(
                BandOnAxis(
                    said(band["outcome"]), start, round(end - start, 1), words, band["outcome"] == decided["outcome"]
                )
                for band, (start, end), words in zip(bands, pairwise(places), band_ends(ends), strict=True)
            ),
        )


def _axis(score: float, ends: Sequence[float], *, is_share: bool) -> tuple[float, float]:
    """Return the ends of the axis: 0 and 1 of a share, else beyond all that is shown, so that outer bands are seen."""
    shown = [score, *ends]
    if is_share and min(shown) >= 0 and max(shown) <= 1:
        return 0.0, 1.0
    margin = 0.15 * (max(shown) - min(shown)) or 1.0
    return min(shown) - margin, max(shown) + margin


def band_ends(ends: Sequence[float]) -> list[str]:
    """Return which scores each band has in words, from the ends between them."""
    inner = [f"{number(low)} to below {number(high)}" for low, high in pairwise(ends)]
    return [f"below {number(ends[0])}", *inner, f"from {number(ends[-1])}"]


def _logistic(log_odds: float) -> float:
    return 0.5 * (1 + tanh(log_odds / 2))
