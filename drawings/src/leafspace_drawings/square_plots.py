"""Curves of shares on a square: ROC, precision-recall and calibration, each from the points that were measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .words import number, share

Json = Mapping[str, Any]

_LEFT = 46  # where axes of shares begin
_LETTER, _BESIDE_LETTERS = 7, 8  # units of the picture that a digit takes, and what stays free on both of its sides
_MOST_LETTERS = 8  # of numbers that stand beside each other three times


@dataclass(frozen=True, slots=True)
class Dot:
    """A measured point with its interval upwards and downwards, in units of the picture, and what it says in words."""

    x: float
    y: float
    low: float | None  # y of the interval's lower end; None: no interval is known
    high: float | None
    said: str


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture of ``SIZE`` x ``SIZE`` units: a path or dots above two axes of the same kind."""

    title: str
    x_words: str
    y_words: str
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    path: str = ""
    is_diagonal: bool = False  # whether the diagonal is drawn: of chance, or of scores that are what they claim to be
    level: float | None = None  # y of a constant answer
    own: tuple[float, float] | None = None  # where the chosen cut-off stands
    dots: tuple[Dot, ...] = ()
    left: int = _LEFT  # of the axes, behind the words of the vertical one

    SIZE = 280
    BOTTOM, RIGHT, TOP = 246, 272, 10

    @classmethod
    def x(cls, place: float, left: int = _LEFT) -> float:
        """Return where a place of the horizontal axis stands, 0 at its left end and 1 at its right one."""
        return round(left + place * (cls.RIGHT - left), 1)

    @classmethod
    def y(cls, place: float) -> float:
        """Return where a place of the vertical axis stands, 0 at its lower end and 1 at its upper one."""
        return round(cls.BOTTOM - place * (cls.BOTTOM - cls.TOP), 1)


def _share_ticks(at: Any) -> tuple[tuple[float, str], ...]:  # Plot.x or Plot.y
    return tuple((at(place), share(place)) for place in (0.0, 0.5, 1.0))


def _of_shares(title: str, x_words: str, y_words: str, **drawn: Any) -> Plot:
    return Plot(title, x_words, y_words, _share_ticks(Plot.x), _share_ticks(Plot.y), **drawn)


def roc_plot(outcome: Json, chosen: Json | None) -> Plot:
    """Return the ROC curve of an outcome: straight between its points, as the area below it counts ties half."""
    places = [(each["false_positive_rate"], each["true_positive_rate"]) for each in outcome["points"]]
    path = "M" + "L".join(f"{Plot.x(x)} {Plot.y(y)}" for x, y in [(0.0, 0.0), *places])
    own = _place(chosen, "false_positive_rate", "true_positive_rate")
    words = ("others that are predicted", "of the class that are predicted")
    return _of_shares("ROC curve", *words, path=path, is_diagonal=True, own=own)


def precision_recall_plot(outcome: Json, chosen: Json | None) -> Plot:
    """Return the precision-recall curve: steps, below which the area is the average precision.

    The precision of a point holds from the recall of the point before on.
    """
    points = [each for each in outcome["points"] if each["precision"] is not None]
    path = f"M{Plot.x(0.0)} {Plot.y(points[0]['precision'])}" if points else ""
    for each in points:
        path += f"V{Plot.y(each['precision'])}H{Plot.x(each['true_positive_rate'])}"
    own = _place(chosen, "true_positive_rate", "precision")
    level = outcome["share"]["share"]
    words = ("of the class that are predicted (recall)", "predicted rightly (precision)")
    return _of_shares(
        "Precision and recall", *words, path=path, level=None if level is None else Plot.y(level), own=own
    )


def _place(chosen: Json | None, x: str, y: str) -> tuple[float, float] | None:
    """Return where a cut-off stands between two of its figures; None where there is none, or one has no rows."""
    if chosen is None or chosen[x]["share"] is None or chosen[y]["share"] is None:
        return None
    return Plot.x(chosen[x]["share"]), Plot.y(chosen[y]["share"])


def calibration_plot(bins: Sequence[Json]) -> Plot:
    """Return how many rows of about the same score are of the class, with intervals."""
    dots = tuple(
        Dot(
            Plot.x(each["mean_score"]),
            Plot.y(each["observed"]["share"]),
            *_interval(each["observed"]["interval"], Plot.y),
            f"mean score {share(each['mean_score'])}: {share(each['observed']['share'])} of "
            f"{each['observed']['n_rows']:,} rows",
        )
        for each in bins
    )
    return _of_shares("Calibration", "mean score", "of the class", is_diagonal=True, dots=dots)


def values_plot(bins: Sequence[Json]) -> Plot:
    """Return the mean target of rows of about the same prediction, with intervals, on axes of the same ends."""
    means = [each["mean_value"] for each in bins]
    ends = [each["mean_prediction"] for each in bins] + [each["value"] for each in means]
    ends += [each["interval"][end] for each in means if each["interval"] for end in ("low", "high")]
    low, span = min(ends), (max(ends) - min(ends)) or 1.0
    ticks = [(place, number(low + place * span)) for place in (0.0, 0.5, 1.0)]
    n_letters = max(len(text) for _, text in ticks)
    left = max(_LEFT, _BESIDE_LETTERS + _LETTER * n_letters)

    def y(value: float) -> float:
        return Plot.y((value - low) / span)

    dots = tuple(
        Dot(
            Plot.x((each["mean_prediction"] - low) / span, left),
            y(each["mean_value"]["value"]),
            *_interval(each["mean_value"]["interval"], y),
            f"mean prediction {number(each['mean_prediction'])}: mean {number(each['mean_value']['value'])} of "
            f"{each['n_rows']:,} rows",
        )
        for each in bins
    )
    across = ticks[::2] if n_letters > _MOST_LETTERS else ticks
    horizontal = tuple((Plot.x(place, left), text) for place, text in across)
    vertical = tuple((Plot.y(place), text) for place, text in ticks)
    words = ("Predictions", "mean prediction", "mean value")
    return Plot(*words, horizontal, vertical, is_diagonal=True, dots=dots, left=left)


def _interval(interval: Json | None, at: Any) -> tuple[float | None, float | None]:  # at: from values to y
    return (None, None) if interval is None else (at(interval["low"]), at(interval["high"]))
