"""A map of rows: dots that lie side by side where the model sees rows as alike, and prototypes as numbered rings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from json import dumps
from typing import Any

from .classes import OTHER_COLOUR, Classes, ClassMark
from .forms import Form
from .links import Links
from .pictures import picture
from .templating import render

Json = Mapping[str, Any]

N_SHADES = 5  # of a regression's values, by their rank
_ERRORS = ("error", "label and prediction differ")
_VALUE_COLOUR = "#1c6b50"


@dataclass(frozen=True, slots=True)
class MapContext:
    """What a drawing of a map can use beside its document; each part may be absent."""

    model: Json | None = None
    dataset: Json | None = None
    explainer: str | None = None  # id of one of the model, which explains a row that is clicked
    links: Links = field(default_factory=Links)
    remedies: Mapping[str, Form] = field(default_factory=dict)  # forms of what cautions ask for, by step


@picture("map", ids="map_", part="maps", words="map", context=MapContext, is_made_of_rows=True)
def draw_map(document: Json, context: MapContext) -> str:
    """Return the drawing of a ready answer of ``GET /v1/maps/{id}``."""
    return render("map", view=_View(document, context))


@dataclass(frozen=True, slots=True)
class Dots:
    """Rows of one class, or of one shade of values, as a path of points."""

    mark: ClassMark | None
    path: str
    colour: str
    opacity: float
    n_rows: int


class _View:
    """What the template shows of a map."""

    WIDTH, HEIGHT, _INSET = 720, 540, 18

    def __init__(self, document: Json, context: MapContext) -> None:
        self.document, self.context, self.links = document, context, context.links
        self.result: Json = document["result"]
        self.preview: Json = self.result["preview"]
        self.classes = Classes(self.result["classes"], context.dataset)
        self.of_model: Sequence[str] = (context.model or {}).get("classes") or []  # none of a regression

    @property
    def words(self) -> str:
        """What people call classes and outcomes, as JSON, where they call them otherwise."""
        labels = dict.fromkeys([*self.result["classes"], *self.of_model])
        said = {label: self.classes.said(label) for label in labels}
        return dumps({label: words for label, words in said.items() if words != label})

    @property
    def colours(self) -> list[tuple[str, str]]:
        """What the dots can show: a field of the rows, and what it is called. Decided rows have an outcome's colour."""
        if set(self.result["classes"]) <= {*self.of_model} or self.context.model is None:
            return [("label", "label"), ("predicted_label", "prediction"), _ERRORS]
        return [("label", "decision"), *([_ERRORS] if self.of_model else [])]

    @cached_property
    def points(self) -> list[tuple[float, float]]:
        """Where the rows stand in the picture, whose y axis goes down: both axes have one scale."""
        xs, ys = self.preview["x"], self.preview["y"]
        width, height = (max(values) - min(values) or 1.0 for values in (xs, ys))
        scale = min((self.WIDTH - 2 * self._INSET) / width, (self.HEIGHT - 2 * self._INSET) / height)
        left, top = ((size - scale * extent) / 2 for size, extent in ((self.WIDTH, width), (self.HEIGHT, height)))
        x0, y1 = min(xs), max(ys)
        return [
            (round(left + scale * (x - x0), 1), round(top + scale * (y1 - y), 1)) for x, y in zip(xs, ys, strict=True)
        ]

    @property
    def dots(self) -> list[Dots]:
        """All rows, by class or by shade."""
        groups: dict[int | None, list[int]] = {}
        for place, group in enumerate(self._groups):
            groups.setdefault(group, []).append(place)
        return [self._dots(group, groups[group]) for group in sorted(groups, key=lambda group: (group is None, group))]

    @cached_property
    def _groups(self) -> Sequence[int | None]:
        if self.result["task"] == "classification":
            return list(self.preview["class_indices"])
        values = self.preview["values"]
        order = sorted(range(len(values)), key=lambda place: values[place])
        shades = [0] * len(values)
        for rank, place in enumerate(order):
            shades[place] = rank * N_SHADES // len(values)
        return shades

    def _dots(self, group: int | None, places: list[int]) -> Dots:
        path = "".join(f"M{x:g} {y:g}h0" for x, y in (self.points[place] for place in places))
        if self.result["task"] != "classification":
            return Dots(None, path, _VALUE_COLOUR, ((group or 0) + 1) / N_SHADES, len(places))
        mark = None if group is None else self.classes[self.result["classes"][group]]
        return Dots(mark, path, OTHER_COLOUR if mark is None else mark.colour, 0.75, len(places))

    @property
    def prototypes(self) -> list[tuple[int, float, float]]:
        """Rank and place of each prototype."""
        ranks = self.preview["prototype_ranks"]
        found = [(rank, *self.points[place]) for place, rank in enumerate(ranks) if rank is not None]
        return sorted(found)
