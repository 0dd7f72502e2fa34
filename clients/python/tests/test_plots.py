"""Plots of the client's objects: the same figures as SVG, and as figures of matplotlib and plotly."""

import doctest
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from leafspace_client import (
    ApproximationTree,
    Comparison,
    Conflict,
    Explanation,
    Explanations,
    ExplanationSet,
    Invalid,
    Leafspace,
    Map,
    MissingExtra,
    Plot,
    PrototypeSet,
    RuleSet,
    types,
)

from tests.drawings.documents import document

_VIEWS: dict[str, Any] = {
    "ApproximationTree": ApproximationTree,
    "Comparison": Comparison,
    "ExplanationSet": ExplanationSet,
    "Map": Map,
    "PrototypeSet": PrototypeSet,
}


def _view(schema: str, kind: Any, **changed: Any) -> Any:  # of any noun
    return kind(Leafspace()._transport, getattr(types, schema).from_dict(document(schema) | changed))


def _explanation() -> Explanation:
    return Explanation(types.ExplanationList.from_dict(document("ExplanationList")).data[0])


def _plotted() -> dict[str, Any]:
    means = [{"feature": "petal_length", "effect": 0.5}, {"feature": "<b>&", "effect": 0.25}]
    result = document("ExplanationSet")["result"] | {"mean_absolute_effects": means, "effects_scale": "log_odds"}
    views = {schema: _view(schema, kind) for schema, kind in _VIEWS.items() if schema != "ExplanationSet"}
    views["ExplanationSet"] = _view("ExplanationSet", ExplanationSet, result=result)
    return views | {"Explanation": _explanation()}


@pytest.mark.parametrize("name", [*_VIEWS, "Explanation"])
def test_a_plot_is_svg_that_needs_nothing_else(name: str, tmp_path: Path) -> None:
    plot = _plotted()[name].plot()

    root = ET.fromstring(plot.svg)  # noqa: S314  # our own
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    for forbidden in ("<script", "<style", "href", "<image", "<foreignObject"):
        assert forbidden not in plot.svg
    assert plot._repr_svg_() == plot.svg == plot.save(tmp_path / "plot.svg").read_text(encoding="utf-8")


def test_bars_end_where_effects_end() -> None:
    explanation = _explanation()
    assert explanation.effects is not None
    chart: Any = explanation.plot()._figures()

    assert chart.title == f"Why row {explanation.row_id}?"
    assert chart.bars[0].start == pytest.approx(explanation.effects.reference.score)
    assert chart.bars[-1].end == pytest.approx(explanation.effects.score)
    assert [bar.end for bar in chart.bars[:-1]] == pytest.approx([bar.start for bar in chart.bars[1:]])
    listed = {feature.feature: feature.effect for feature in explanation.effects.features}
    sizes = {bar.label: bar.end - bar.start for bar in chart.bars if bar.label in listed}
    assert sizes == pytest.approx({name: listed[name] for name in sizes})


@pytest.mark.parametrize("name", ["Comparison", "ExplanationSet", "Explanation", "Map", "PrototypeSet"])
def test_figures_of_matplotlib_and_plotly_have_the_same_bars_and_dots(name: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("plotly")
    plot = _plotted()[name].plot()
    chart: Any = plot._figures()

    axes = plot.to_matplotlib().axes[0]
    figure = plot.to_plotly()

    assert axes.get_title() == figure.layout.title.text == chart.title
    if chart.bars:
        ends = np.array([(bar.start, bar.end) for bar in chart.bars])
        (bars,) = figure.data
        np.testing.assert_allclose(np.column_stack([bars.base, np.add(bars.base, bars.x)]), ends)
        boxes = [(box.get_x(), box.get_x() + box.get_width()) for box in axes.patches]
        np.testing.assert_allclose(np.sort(boxes), np.sort(ends), atol=1e-12)
        assert [label.get_text() for label in axes.get_yticklabels()] == [bar.label for bar in chart.bars]
    else:
        assert sum(len(points.get_offsets()) for points in axes.collections) == sum(len(each.xs) for each in chart.dots)
        assert [points.name for points in figure.data] == [each.label for each in chart.dots]
    plot.to_matplotlib().savefig(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 1000


@pytest.mark.parametrize(("library", "method"), [("matplotlib.figure", "to_matplotlib"), ("plotly", "to_plotly")])
def test_a_library_that_is_not_installed_is_named_with_its_command(
    library: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)  # as it is where it is not installed
    with pytest.raises(MissingExtra, match=r'pip install "leafspace-client\[plots\]"'):
        getattr(_explanation().plot(), method)()


def test_what_has_no_chart_says_what_there_is() -> None:
    with pytest.raises(Invalid, match=r"no chart of this rule set; save\(path\) writes"):
        _view("RuleSet", RuleSet).plot()
    with pytest.raises(Invalid, match="no chart of this explanations"):
        Explanations([_explanation()], None).plot()
    with pytest.raises(Conflict, match=r"call wait\(\) first"):
        _view("PrototypeSet", PrototypeSet, status="pending", result=None).plot()
    with pytest.raises(Invalid, match="a tree is drawn as SVG alone"):
        _view("ApproximationTree", ApproximationTree).plot().to_matplotlib()


def test_the_examples_of_the_documentation_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    known = {"explanation": _explanation(), "prototype_set": _view("PrototypeSet", PrototypeSet)}
    examples = doctest.DocTestParser().get_doctest(str(Plot.__doc__), known, "Plot", None, 0)

    assert doctest.DocTestRunner().run(examples).failed == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["prototypes.pdf", "why.svg"]
