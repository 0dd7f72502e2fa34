"""Charts: what an answer shows as bars or dots, as figures for any library, and as SVG that needs nothing else.

``chart_of`` finds the figures by the answer's ``object``. They are those that the page draws: the waterfall of effects,
mean effects, effects that moved, rows on a map, what prototypes represent.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, TypeVar

from .classes import OTHER_COLOUR, Classes
from .columns import ColumnNames
from .tree_documents import tree_of
from .tree_svg import write_svg
from .tree_svg_parts import bar, element, escaped, shortened, text
from .waterfall import Waterfall
from .words import brief, counted, readable, signed

Json = Mapping[str, Any]
Figures = TypeVar("Figures", bound=Callable[..., Any])

RAISES, LOWERS = "#1c6b50", "#ffffff"
_MOST_BARS = 20
_FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
_WIDTH, _LABELS, _FIGURES, _MARGIN, _PITCH, _PLANE = 680.0, 220.0, 70.0, 16.0, 24.0, 420.0


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar from ``start`` to ``end``, in the units of the axis, and its figure in words."""

    label: str
    start: float
    end: float
    figure: str


@dataclass(frozen=True, slots=True)
class Dots:
    """Points of one class, or of one range of values."""

    label: str
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    colour: str
    names: tuple[str, ...]  # of the rows


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars from top to bottom, or dots on a plane, with a title and the words of the axis."""

    title: str
    axis: str
    bars: tuple[Bar, ...] = ()
    dots: tuple[Dots, ...] = ()


_CHARTS: dict[str, Callable[[Json, ColumnNames], Chart | None]] = {}


def chart(kind: str) -> Callable[[Figures], Figures]:
    """Return the decorator of what finds the figures of a kind of answers, by their ``object``."""

    def register(figures: Figures) -> Figures:
        _CHARTS[kind] = figures
        return figures

    return register


def chart_of(document: Json, dataset: Json | None = None) -> Chart | None:
    """Return the figures of an answer; None where they are no bars and no dots.

    Parameters
    ----------
    document
        A ready answer of the API.
    dataset
        The answer about the dataset that it was made from, for titles of features; None: features have their names.
    """
    make = _CHARTS.get(str(document["object"]))
    return None if make is None else make(document, ColumnNames(dataset))


@chart("explanation")
def _explanation(row: Json, names: ColumnNames) -> Chart | None:
    """Return effects from the reference case's score to the row's; without effects, the nearest prototypes."""
    fall = Waterfall.of_effects(row["effects"], names) if row.get("effects") else None
    if fall is None or not fall.steps:  # not requested, or a model that answers the same for all rows
        near = row.get("nearest_prototypes") or ()  # a refused row has neither
        bars = [Bar(f"row {each['row_id']}", 0.0, each["proximity"], brief(each["proximity"])) for each in near]
        return Chart(f"What is row {row['row_id']} like?", "proximity", tuple(bars)) if bars else None
    ends = pairwise(accumulate((step.effect for step in fall.steps), initial=fall.before))
    bars = [
        Bar(step.said if step.column is None else step.column.said, start, end, signed(step.effect))
        for step, (start, end) in zip(fall.steps, ends, strict=True)
    ]
    return Chart(f"Why row {row['row_id']}?", fall.scale + (f" of {fall.of}" if fall.of else ""), tuple(bars))


def _sizes(title: str, axis: str, sizes: list[tuple[str, float]]) -> Chart:
    return Chart(title, axis, tuple(Bar(label, 0.0, size, brief(size)) for label, size in sizes[:_MOST_BARS]))


@chart("explanation_set")
def _mean_effects(document: Json, names: ColumnNames) -> Chart | None:
    result = document["result"]
    effects = result.get("mean_absolute_effects") or ()
    sizes = [(names[each["feature"]].said, each["effect"]) for each in effects]
    title = f"Mean size of effects over {counted(result['n_rows'], 'row')}"
    return _sizes(title, str(result.get("effects_scale") or "score").replace("_", "-"), sizes) if sizes else None


@chart("comparison")
def _moved_effects(document: Json, names: ColumnNames) -> Chart | None:
    sizes = [(names[each["feature"]].said, each["moved"]) for each in document["result"]["effects"]]
    return _sizes("Effects that moved", "moved by", sizes) if sizes else None


@chart("prototype_set")
def _prototypes(document: Json, _names: ColumnNames) -> Chart:
    prototypes = document["result"]["prototypes"]
    sizes = [(f"row {each['row_id']}", each["coverage"]["share"]) for each in prototypes]
    return _sizes("Rows that each prototype covers", "share of all rows", sizes)


@chart("map")
def _map(document: Json, names: ColumnNames) -> Chart:
    result = document["result"]
    marks = Classes(result["classes"], names.dataset)
    preview, classes = result["preview"], result["classes"]
    indices = preview["class_indices"] if result["task"] == "classification" else [None] * len(preview["x"])
    groups: dict[int | None, list[int]] = {}
    for index, group in enumerate(indices):
        groups.setdefault(group, []).append(index)
    dots = [
        Dots(
            "rows" if group is None else str(classes[group]),
            tuple(preview["x"][each] for each in groups[group]),
            tuple(preview["y"][each] for each in groups[group]),
            OTHER_COLOUR if group is None else marks[classes[group]].colour,
            tuple(str(preview["rows"][each]) for each in groups[group]),
        )
        for group in sorted(groups, key=lambda each: (each is None, each))
    ]
    return Chart("What lies near what?", "near: alike as the model sees rows", dots=tuple(dots))


def svg_of(document: Json, dataset: Json | None = None) -> str | None:
    """Return the chart of an answer, or its tree, as SVG without script, style sheet, font or network.

    Parameters
    ----------
    document, dataset
        As ``chart_of`` has them; None is returned where there is nothing to draw.
    """
    if document["object"] == "approximation_tree":
        return write_svg(tree_of(document["result"]))
    figures = chart_of(document, dataset)
    return None if figures is None else _chart_svg(figures)


def _chart_svg(figures: Chart) -> str:
    drawn, height = _bars(figures.bars) if figures.bars else _plane(figures.dots)
    title = readable(figures.title)
    head = [
        element("title", escaped(title)),
        bar(0, 0, _WIDTH, height, "#ffffff"),
        text(shortened(title, 16, _WIDTH - 2 * _MARGIN), _MARGIN, 26, 16, font_weight="bold"),
        text(shortened(readable(figures.axis), 12, _WIDTH - 2 * _MARGIN), _MARGIN, 44, 12),
    ]
    frame = {"xmlns": "http://www.w3.org/2000/svg", "role": "img", "font_family": _FONT}
    return element("svg", *head, *drawn, viewBox=f"0 0 {_WIDTH:g} {height:g}", width=_WIDTH, height=height, **frame)


def _bars(bars: tuple[Bar, ...]) -> tuple[list[str], float]:
    """Return the bars below each other, on one axis, and the height of the whole."""
    ends = [end for each in bars for end in (each.start, each.end)]
    low, span = min(ends), (max(ends) - min(ends)) or 1.0
    scale = (_WIDTH - 2 * _MARGIN - _LABELS - _FIGURES) / span
    drawn = []
    for number, each in enumerate(bars):
        y = 60 + _PITCH * number
        left = _MARGIN + _LABELS + scale * (min(each.start, each.end) - low)
        fill = RAISES if each.end >= each.start else LOWERS
        width = max(1.0, scale * abs(each.end - each.start))
        drawn += [
            text(shortened(readable(each.label), 13, _LABELS - 12), _MARGIN, y + 12, 13),
            bar(left, y, width, 16, fill, stroke=RAISES),
            text(each.figure, _WIDTH - _MARGIN, y + 12, 13, text_anchor="end"),
        ]
    return drawn, 60 + _PITCH * len(bars) + _MARGIN


def _plane(dots: tuple[Dots, ...]) -> tuple[list[str], float]:
    """Return the dots, both axes of one scale and the second going up, below their legend."""
    xs, ys = [x for each in dots for x in each.xs], [y for each in dots for y in each.ys]
    span = max(max(xs) - min(xs), max(ys) - min(ys)) or 1.0
    scale, top = _PLANE / span, 76 + 18 * len(dots)
    drawn = []
    for number, each in enumerate(dots):
        drawn.append(element("circle", cx=_MARGIN + 5, cy=62 + 18 * number, r=4, fill=each.colour))
        drawn.append(text(shortened(readable(each.label), 12, _WIDTH - 60), _MARGIN + 16, 66 + 18 * number, 12))
        for x, y in zip(each.xs, each.ys, strict=True):
            left = _MARGIN + scale * (x - min(xs))
            drawn.append(element("circle", cx=left, cy=top + scale * (max(ys) - y), r=2.5, fill=each.colour))
    return drawn, top + scale * (max(ys) - min(ys)) + _MARGIN
