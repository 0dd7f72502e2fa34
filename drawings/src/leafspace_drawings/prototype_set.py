"""A prototype set: the rows that represent each class, how good they are, and how many are enough."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, pairwise
from statistics import median
from typing import Any

from .classes import Classes, ClassMark
from .columns import ColumnNames
from .differences import Difference, Differences
from .forms import Form
from .images import ImageColumns
from .links import Links
from .pictures import picture
from .templating import render

Json = Mapping[str, Any]

N_FEATURES_SHOWN, N_MORE_SHOWN, N_CARDS_SHOWN = 7, 40, 120
_FAR_BELOW = -0.25  # a score whose label has room below that of 0


@dataclass(frozen=True, slots=True)
class SetContext:
    """What a drawing of a prototype set can use beside its document; each part may be absent."""

    model: Json | None = None
    dataset: Json | None = None
    links: Links = field(default_factory=Links)
    n_cards: int = N_CARDS_SHOWN
    n_more: int = N_MORE_SHOWN  # features of a card that are folded away
    n_first: int | None = None  # of a nested set, how many of its first prototypes are shown; None: all
    explainer: str | None = None  # id of one with these prototypes
    remedies: Mapping[str, Form] = field(default_factory=dict)  # forms of what cautions ask for, by step


@picture(
    "prototype_set",
    ids="prs_",
    part="prototypes",
    words="prototypes",
    context=SetContext,
    is_made_of_rows=True,
    brief={"n_cards": 12},
    smaller={"n_cards": 12, "n_more": 0},
)
def draw_prototype_set(document: Json, context: SetContext) -> str:
    """Return the drawing of a ready answer of ``GET /v1/prototype-sets/{id}``."""
    return render("prototype_set", view=_View(document, context))


@dataclass(frozen=True, slots=True)
class RepresentedRow:
    """A row that a prototype represents."""

    row: Json  # as ``GET /v1/prototype-sets/{id}/rows`` lists it
    values: Json  # by feature, of those that are shown
    predicted: str | float | None = None  # class, outcome or value; None: not known
    target: str | float | None = None


def draw_represented(
    document: Json, rank: int, rows: Sequence[RepresentedRow], context: SetContext, usage: Sequence[Json] = ()
) -> str:
    """Return the drawing of the rows that a prototype represents, each with what sets it apart from the prototype.

    Parameters
    ----------
    document
        The prototype set.
    rank
        Of the prototype, from 1 on.
    rows
        The first of these rows.
    context
        What is beside them.
    usage
        As ``GET /v1/models/{id}/features`` answers it: features that more splits test count more.
    """
    view = _View(document, context)
    return render("represented", view=view, of=_Represented(view, view.all_prototypes[rank - 1], rows, usage))


def groups_of(document: Json, context: SetContext) -> list["Group"]:
    """Return the prototypes of a set by class, as its own drawing has them."""
    return _View(document, context).groups


@dataclass(frozen=True, slots=True)
class Card:
    """One prototype."""

    prototype: Json
    features: tuple[Json, ...]  # those that are shown: name and value
    more: tuple[Json, ...]  # those that are folded away
    n_left: int  # those that are not drawn
    image: str | None  # address
    of_largest: float  # rows that it represents, as a share of the most that one represents
    why: str | None  # the address of its own explanation
    rows: str | None  # and of the rows that it represents


@dataclass(frozen=True, slots=True)
class Group:
    """The prototypes of a class; those of a regression are one group."""

    mark: ClassMark | None
    coverage: Json | None  # of the class: n_rows, share
    cards: tuple[Card, ...]


class _View:
    """What the template shows of a prototype set."""

    def __init__(self, document: Json, context: SetContext) -> None:
        self.document, self.context, self.links = document, context, context.links
        self.result: Json = document["result"]
        self.is_regression = self.result["task"] == "regression"
        self.names = ColumnNames(context.dataset)
        self.classes = Classes(self.result.get("classes") or [], context.dataset)
        self.all_prototypes: Sequence[Json] = self.result["prototypes"]
        n_first = context.n_first if self.result["nested"] and context.n_first else len(self.all_prototypes)
        self.prototypes = self.all_prototypes[: max(1, n_first)]
        self.noun = "outcome" if (context.model or {}).get("decision") else "class"  # of its prototypes
        self.measure = "r2" if self.is_regression else "balanced_accuracy"

    @property
    def is_part(self) -> bool:
        """Whether only the first prototypes are shown."""
        return len(self.prototypes) < len(self.all_prototypes)

    @property
    def leaf_step(self) -> Json | None:
        """The step of leaves that was taken, where what nearest prototypes predict decided; ``None`` elsewhere."""
        if (self.result.get("leaf_choice") or {}).get("decided_by") != "score":
            return None
        used = self.result["min_leaf_rows"], self.result["proximity_kind"]
        steps: Sequence[Json] = self.result["leaf_steps"]
        return next(step for step in steps if (step["min_leaf_rows"], step["proximity_kind"]) == used)

    @property
    def scores(self) -> Json:
        """The scores of the prototypes that are shown."""
        scores: Sequence[Json] = self.result["evaluation"]
        n_shown = len(self.prototypes)
        return next((each for each in scores if each["n_prototypes"] == n_shown), scores[-1])

    @property
    def n_hidden(self) -> int:
        """Prototypes beyond those that are drawn."""
        return max(0, len(self.prototypes) - self.context.n_cards)

    @property
    def curve(self) -> "Curve | None":
        """How scores grow with the number of prototypes; None where the set is not nested or has few scores.

        Scores that need a target have no line where there is none.
        """
        scores = self.result["evaluation"]
        if not self.result["nested"] or len(scores) < 3:  # a line of two points shows nothing
            return None
        names = ("r2",) if self.is_regression else ("balanced_fidelity", "balanced_accuracy")
        numbers = [each["n_prototypes"] for each in scores]
        lines = {name: [each[name] for each in scores] for name in names}
        known = {name: line for name, line in lines.items() if None not in line}
        return Curve.of(numbers, known, len(self.prototypes)) if known else None

    @cached_property
    def groups(self) -> list[Group]:
        """The prototypes by class, in the order of the classes and of their ranks."""
        shown = self.prototypes[: self.context.n_cards]
        most = max((each["coverage"]["n_rows"] for each in shown), default=0) or 1
        cards = [self._card(prototype, most) for prototype in shown]
        if self.is_regression:
            return [Group(None, None, tuple(cards))]
        coverage = {each["label"]: each for each in (self.result.get("row_coverage") or {}).get("by_class", ())}
        return [
            Group(self.classes[label], coverage.get(label), own)
            for label in self.classes.labels
            if (own := tuple(card for card in cards if card.prototype["label"] == label))
        ]

    @property
    def criticisms(self) -> list[tuple[Json, str | None, list[Difference]]]:
        """The rows that all prototypes together represent least, and the address of each one's explanation.

        With them comes in which features each is farthest from all prototypes that could represent it.
        """
        found = () if self.is_part else self.result.get("criticisms", ())
        rows = [{each["name"]: each["value"] for each in criticism["features"]} for criticism in found]
        compared = Differences.among(self.context.dataset, [*self._rows, *rows])
        return [
            (each, self.why(str(each["row_id"])), compared.of(row, self._could_represent(each)))
            for each, row in zip(found, rows, strict=True)
        ]

    def _could_represent(self, row: Json) -> list[Json]:
        """Return the values of the prototypes of a row's class, or of all where classes do not matter."""
        is_any = not self.has_own_class
        pairs = zip(self.prototypes, self._rows, strict=True)
        return [values for each, values in pairs if is_any or each["label"] == row["label"]] or self._rows

    @property
    def has_own_class(self) -> bool:
        """Whether a row is represented by prototypes of its class alone."""
        return not self.is_regression and self.document["request"]["method"] != "k_medoids"

    def _card(self, prototype: Json, most: int) -> Card:
        cells = {each["name"]: each["value"] for each in prototype["features"]}
        image = None if self._image_columns is None else self._image_columns.data_url(cells)
        shown = (
            () if image else tuple({"name": name, "value": cells[name]} for name in self._separating if name in cells)
        )
        named = {each["name"] for each in shown}
        more = () if image else tuple(each for each in prototype["features"] if each["name"] not in named)
        size, why = prototype["coverage"]["n_rows"] / most, self.why(str(prototype["row_id"]))
        rows = self.links.to("represented", self.document["id"], str(prototype["rank"]))
        n_more = self.context.n_more
        return Card(prototype, shown, more[:n_more], len(more[n_more:]), image, size, why, rows)

    def why(self, row_id: str) -> str | None:
        """Return the address of a row's explanation, where there is an explainer."""
        explainer = self.context.explainer
        return None if explainer is None else self.links.to("explainers", explainer, "rows", row_id)

    @cached_property
    def _image_columns(self) -> ImageColumns | None:
        names = [each["name"] for each in self.prototypes[0]["features"]] if self.prototypes else []
        return ImageColumns.among(self.context.dataset, names)

    @cached_property
    def _separating(self) -> list[str]:
        """The features in which prototypes of different classes differ most."""
        rows = self._rows
        pairs = [pair for pair in combinations(range(len(rows)), 2) if self._groups[pair[0]] != self._groups[pair[1]]]
        others = [pair for pair in combinations(range(len(rows)), 2) if self._groups[pair[0]] == self._groups[pair[1]]]
        compared = Differences.among(self.context.dataset, rows)

        def separation(name: str) -> float:
            """Return how much farther prototypes of different classes are apart than those of one class."""
            values = [row.get(name) for row in rows]
            between, within = (
                sum(compared.between(name, values[i], values[j]) for i, j in some) / max(1, len(some))
                for some in (pairs, others)
            )
            return between - within

        return sorted(rows[0] if rows else [], key=lambda name: -separation(name))[:N_FEATURES_SHOWN]

    @property
    def _rows(self) -> list[Json]:
        """The values of each prototype, by feature."""
        return [{each["name"]: each["value"] for each in prototype["features"]} for prototype in self.prototypes]

    @cached_property
    def _groups(self) -> list[Any]:
        """Return the class of each prototype; of a regression, whether its value is above the median."""
        if not self.is_regression:
            return [prototype["label"] for prototype in self.prototypes]
        middle = median(prototype["value"] for prototype in self.prototypes)
        return [prototype["value"] > middle for prototype in self.prototypes]


class _Represented:
    """What the template shows of the rows that a prototype represents."""

    n_shown = 20  # unfolded

    def __init__(self, view: _View, prototype: Json, rows: Sequence[RepresentedRow], usage: Sequence[Json]) -> None:
        self.prototype, self._rows = prototype, rows
        self.own = {each["name"]: each["value"] for each in prototype["features"]}
        self.images = ImageColumns.among(view.context.dataset, list(self.own))
        self._compared = Differences.among(view.context.dataset, [self.own, *(row.values for row in rows)], usage)
        self.is_weighted = bool(usage)
        self._why = view.why

    @cached_property
    def rows(self) -> list[tuple[RepresentedRow, str | None, list[Difference]]]:
        """The rows, the address of each one's explanation, and in which features it differs from the prototype."""
        return [
            (each, self._why(str(each.row["row_id"])), self._compared.of(each.values, [self.own]))
            for each in self._rows
        ]

    @property
    def has_predictions(self) -> bool:
        """Whether it is known what the model says of the rows."""
        return any(row.predicted is not None for row in self._rows)


@dataclass(frozen=True, slots=True)
class Curve:
    """Scores by the number of prototypes, in a picture of ``WIDTH`` x ``HEIGHT`` units."""

    lines: tuple[tuple[str, str, float, float], ...]  # name, path, last score, where it ends
    ticks_x: tuple[tuple[float, int], ...]
    ticks_y: tuple[tuple[float, float], ...]
    here: float  # where the number of prototypes that are shown stands

    WIDTH, HEIGHT = 460, 220
    _LEFT, _RIGHT, _TOP, _BOTTOM = 46, 130, 12, 28
    _LABEL = 16  # least distance between labels at the ends

    @classmethod
    def of(cls, numbers: Sequence[int], lines: Mapping[str, Sequence[float]], shown: int) -> "Curve":
        """Return the curves; the vertical axis begins at 0, or below where a score is negative."""
        low = min(0.0, *(score for scores in lines.values() for score in scores))
        low = max(low, -1.0)
        span_x = max(1, numbers[-1] - numbers[0])

        def x(number: float) -> float:
            return round(cls._LEFT + (number - numbers[0]) / span_x * (cls.WIDTH - cls._LEFT - cls._RIGHT), 1)

        def y(score: float) -> float:
            room = cls.HEIGHT - cls._TOP - cls._BOTTOM
            return round(cls._TOP + (1 - (max(score, low) - low) / (1 - low)) * room, 1)

        ends = _spread_labels([y(scores[-1]) for scores in lines.values()], cls._LABEL)
        drawn = tuple(
            (name, "M" + "L".join(f"{x(n)} {y(s)}" for n, s in zip(numbers, scores, strict=True)), scores[-1], end)
            for (name, scores), end in zip(lines.items(), ends, strict=True)
        )
        named = sorted({numbers[0], numbers[len(numbers) // 2], numbers[-1]})
        levels = (low, 0.0, 0.5, 1.0) if low < _FAR_BELOW else (0.0, 0.5, 1.0)
        return cls(drawn, tuple((x(n), n) for n in named), tuple((y(level), level) for level in levels), x(shown))


def _spread_labels(places: Sequence[float], least: float) -> list[float]:
    """Return places moved down until neighbours are apart, in the given order of lines."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    moved = list(places)
    for above, below in pairwise(order):
        moved[below] = max(moved[below], moved[above] + least)
    return moved
