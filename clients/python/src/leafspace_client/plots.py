"""Plots: the chart of an object as SVG, as a file, and as a figure of matplotlib or plotly where one is installed."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leafspace_drawings import chart_of, svg_of
from leafspace_drawings.charts import LOWERS, RAISES

from .arguments import checked
from .errors import Invalid, missing_extra, writing
from .written_paths import written_path

if TYPE_CHECKING:
    from leafspace_drawings import Chart

Json = Mapping[str, Any]

_INCHES_A_BAR, _INCHES_WIDE = 0.35, 7.0


class Plot:
    """The chart of an object: bars, dots, or a tree. Notebooks show it; ``print(plot.svg)`` is its SVG.

    Parameters
    ----------
    document
        The answer of the service that is drawn.
    dataset
        The answer about its dataset, for titles of features; default: they have their names.

    Examples
    --------
    >>> explanation.plot().save("why.svg").name
    'why.svg'
    >>> prototype_set.plot().to_matplotlib().savefig("prototypes.pdf")
    """

    def __init__(self, document: Json, dataset: Json | None = None) -> None:
        svg = svg_of(document, dataset)
        if svg is None:
            kind = str(document["object"]).replace("_", " ")
            detail = f"there is no chart of this {kind}; save(path) writes its picture as HTML"
            raise Invalid("method_not_applicable", detail)
        self._chart, self._svg = chart_of(document, dataset), svg

    @property
    def svg(self) -> str:
        """The chart as SVG, which needs nothing else and runs no script."""
        return self._svg

    def _repr_svg_(self) -> str:
        return self._svg

    def __repr__(self) -> str:
        return f"Plot {'of a tree' if self._chart is None else repr(self._chart.title)}"

    @checked
    def save(self, path: str | Path) -> Path:
        """Write the SVG to a file, and return its path; for other formats, ``to_matplotlib().savefig("why.png")``.

        Parameters
        ----------
        path
            Where to write, such as ``"why.svg"``; a file that is there is replaced.

        Raises
        ------
        CannotWrite
            If the file cannot be written there, or its name ends as that of another kind of file.
        """
        target = written_path(path, "svg")
        with writing(target):
            target.write_text(self._svg, encoding="utf-8")
        return target

    @checked
    def to_matplotlib(self) -> Any:  # a Figure
        """Return a new ``matplotlib.figure.Figure``, to be changed and saved in its own way; needs matplotlib.

        Raises
        ------
        Invalid
            For a tree, which is drawn as SVG alone.
        MissingExtra
            Without matplotlib.
        """
        chart = self._figures()
        try:
            from matplotlib.figure import Figure  # which only this needs
        except ImportError as error:
            raise missing_extra("matplotlib", "plots", "a figure") from error
        height = 1.5 + _INCHES_A_BAR * len(chart.bars) if chart.bars else _INCHES_WIDE
        figure = Figure(figsize=(_INCHES_WIDE, height), layout="constrained")
        axes = figure.add_subplot(title=chart.title, xlabel=chart.axis)
        if chart.bars:
            labels = [each.label for each in chart.bars]
            bars = axes.barh(
                range(len(labels)),
                [each.end - each.start for each in chart.bars],
                left=[each.start for each in chart.bars],
                color=[RAISES if each.end >= each.start else LOWERS for each in chart.bars],
                edgecolor=RAISES,
            )
            axes.bar_label(bars, [each.figure for each in chart.bars], padding=3)
            axes.set_yticks(range(len(labels)), labels)
            axes.invert_yaxis()
            axes.margins(x=0.15)
        for dots in chart.dots:
            axes.scatter(dots.xs, dots.ys, s=8, color=dots.colour, label=dots.label)
        if chart.dots:
            axes.set_aspect("equal")
            axes.legend()
        return figure

    @checked
    def to_plotly(self) -> Any:  # a Figure
        """Return a ``plotly.graph_objects.Figure``; needs plotly.

        Raises
        ------
        Invalid
            For a tree, which is drawn as SVG alone.
        MissingExtra
            Without plotly.
        """
        chart = self._figures()
        try:
            from plotly import graph_objects  # which only this needs
        except ImportError as error:
            raise missing_extra("plotly", "plots", "a figure") from error
        bars = [] if not chart.bars else [_plotly_bars(chart)]
        dots = [
            {"type": "scatter", "mode": "markers", "name": each.label, "x": each.xs, "y": each.ys, "text": each.names}
            | {"marker": {"color": each.colour, "size": 5}}
            for each in chart.dots
        ]
        layout: dict[str, Any] = {"title": {"text": chart.title}, "xaxis": {"title": {"text": chart.axis}}}
        layout["yaxis"] = {"autorange": "reversed"} if bars else {"scaleanchor": "x"}
        return graph_objects.Figure(data=[*bars, *dots], layout=layout)

    def _figures(self) -> "Chart":
        if self._chart is None:
            detail = "a tree is drawn as SVG alone: use plot.svg or plot.save(path)"
            raise Invalid("method_not_applicable", detail)
        return self._chart


def _plotly_bars(chart: "Chart") -> Json:
    labels = [each.label for each in chart.bars]
    return {
        "type": "bar",
        "orientation": "h",
        "y": [label if labels.count(label) == 1 else f"{label} ({n})" for n, label in enumerate(labels, 1)],
        "x": [each.end - each.start for each in chart.bars],
        "base": [each.start for each in chart.bars],
        "text": [each.figure for each in chart.bars],
        "marker": {
            "color": [RAISES if each.end >= each.start else LOWERS for each in chart.bars],
            "line": {"color": RAISES, "width": 1},
        },
    }
