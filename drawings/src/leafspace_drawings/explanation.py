"""An explanation of one row: the row beside its nearest prototypes, and how far to trust the explanation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from json import dumps
from typing import Any, TypeVar

from .classes import Classes, ClassMark
from .columns import ColumnName, ColumnNames
from .images import ImageColumns
from .links import Links
from .scales import Axis, Strip
from .score_curves import ScoreCurves
from .templating import render
from .value_fields import choices_of, hint_of, text_of
from .waterfall import DecisionBar, Step, Waterfall
from .words import number, share

Json = Mapping[str, Any]
Drawn = TypeVar("Drawn", DecisionBar | None, Waterfall | None, ScoreCurves | None)

N_FEATURES_SHOWN, N_NEAREST_SHOWN = 10, 3
_N_AT_A_GLANCE = 3  # effects
_MOST_SHARES = 5  # outcomes of rows like it
_MOST_IN_ORDER = 4  # classes that are listed in the model's order
_UNEQUAL = 0.005  # between the share of the trees and that of their weight, from which on a reader would ask why
_EMPTY: Json = {}


@dataclass(frozen=True, slots=True)
class WhyContext:
    """What a drawing of an explanation can use beside the explanation; each part may be absent."""

    dataset: Json | None = None  # the reference dataset's document: axes of features
    prototype_set: Json | None = None  # the document: how often its nearest prototype and the model agree
    provenance: Json | None = None
    links: Links = field(default_factory=Links)
    chosen: int = 0  # of the nearest prototypes, the one whose stretches are drawn
    is_editable: bool = False  # values are fields
    changed: Mapping[str, Any] = field(default_factory=dict)  # what-if: the values before, by feature
    unchanged: Json | None = None  # what-if: the explanation of the row before the change
    alone: Mapping[str, Json] = field(default_factory=dict)  # what-if: that with one of several changes, by feature
    fixed: frozenset[str] = frozenset()  # features that are never changed, by the dictionary
    form: str | None = None  # the row is new: the address of the form with its values
    letter: str | None = None  # the address of the letter about its decision
    shown_by: str | None = None  # the id of the explainer whose reference rows have views of their own
    report: str | None = None  # the address of the form that makes a report of it
    is_sent: bool = False  # of a report: the row came by its values, and is in no dataset
    elsewhere: str | None = None  # of a report: the name of its dataset, where that is not the reference data
    more_changes: str | None = None  # where changes of several features are searched; None: they were
    refused: Mapping[str, "RefusedValue"] = field(
        default_factory=dict
    )  # what-if: fields that hold no value, by feature
    n_shown: int = N_FEATURES_SHOWN  # lines of the comparison at the top
    n_folded: int | None = None  # lines below that are folded away; None: all


@dataclass(frozen=True, slots=True)
class RefusedValue:
    """What somebody wrote into the field of a feature that cannot be its value."""

    text: str
    problem: str  # what is wrong with it, and what to write


def draw_explanation(row: Json, context: WhyContext) -> str:
    """Return the drawing of one row of an answer of ``POST /v1/explainers/{id}/explanations``."""
    return render("explanation", why=_Why(row, context))


@dataclass(frozen=True, slots=True)
class Feature:
    """A line of the comparison."""

    column: ColumnName
    value: Any
    others: tuple[Any, ...]  # of the nearest prototypes
    share_of_trees: float | None  # None: the shared trees do not test it
    stretch: str | None  # the reason without the feature's name
    strip: Strip | None
    before: Any = None  # the value before it was changed
    is_changed: bool = False
    refused: RefusedValue | None = None  # what the field holds instead of a value
    choices: tuple[str, ...] = ()  # the values that it may have, where these are few
    hint: str = ""  # which values the reference rows have
    is_fixed: bool = False  # nothing can change it, by the dictionary
    shift: tuple[str, str] | None = None  # what-if: the score before and after this change alone

    @property
    def is_edited(self) -> bool:
        """Whether somebody wrote into its field."""
        return self.is_changed or self.refused is not None


class _Before:
    """What was predicted for a row before its values were changed."""

    def __init__(self, row: Json) -> None:
        self.prediction: Json = row["prediction"]
        self.scores = {score["label"]: score["value"] for score in self.prediction.get("scores") or ()}
        decided = row.get("decision") or _EMPTY
        self.outcome = decided.get("outcome_text", decided.get("outcome"))


class _Why:
    """What the template shows of an explained row."""

    def __init__(self, row: Json, context: WhyContext) -> None:
        self.row, self.context, self.links = row, context, context.links
        self.status: str = row["status"]
        self.names = ColumnNames(context.dataset)
        if self.status == "error":
            return
        self.prediction = row["prediction"]
        self.is_regression = self.prediction["task"] == "regression"
        self.scores = self.prediction.get("scores") or []
        self.outcomes = [band["outcome"] for band in (row.get("decision") or _EMPTY).get("bands") or ()]
        self.classes = Classes([score["label"] for score in self.scores], context.dataset, self.outcomes)
        self.nearest: Sequence[Json] = row["nearest_prototypes"][:N_NEAREST_SHOWN]
        self.chosen: Json | None = self.nearest[min(context.chosen, len(self.nearest) - 1)] if self.nearest else None
        self.typicality = row.get("typicality")
        self.images = self._images()
        self.target = row.get("target")
        bar = DecisionBar.of_decision(row.get("decision"), self.classes.said)
        self.decision = self._in_words(bar, "score_of")
        self.waterfall = self._in_words(self._waterfall(), "of")
        self.curves = self._in_words(ScoreCurves.of_row(row, self._columns, self.names), "of")
        self.before = _Before(context.unchanged) if context.unchanged is not None else None

    def _waterfall(self) -> Waterfall | None:
        """Return the waterfall of the effects, whose reference case has an outcome in words."""
        if not self.row.get("effects"):
            return None
        drawn = Waterfall.of_effects(self.row["effects"], self.names)
        outcome = drawn.reference.get("outcome")
        return (
            replace(drawn, reference={**drawn.reference, "outcome": self.classes.said(outcome)}) if outcome else drawn
        )

    def _in_words(self, drawn: Drawn, name: str) -> Drawn:
        """Return a part of the drawing whose field ``name``, a class, is called as people call it; none of none."""
        return drawn and replace(drawn, **{name: self.classes.said(getattr(drawn, name))})

    @property
    def title(self) -> str:
        """The name of the row; none of a new one."""
        return "" if self.context.form is not None else str(self.row["row_id"])

    @property
    def label(self) -> ClassMark:
        """The predicted class."""
        return self.classes[self.prediction["label"]]

    @property
    def is_wrong(self) -> bool:
        """Whether the class in the data is another than the predicted one."""
        return not self.is_regression and self.target not in {None, self.prediction["label"]}

    @property
    def bar(self) -> list[tuple[ClassMark, float, float]]:
        """Each class with a score: its mark, and where its part of the bar begins and how wide it is, in per cent."""
        parts, start = [], 0.0
        for score in self.scores:
            width = 100 * score["value"]
            parts.append((self.classes[score["label"]], round(start, 2), round(width, 2)))
            start += width
        return parts

    @property
    def legend(self) -> list[tuple[ClassMark, float, float]]:
        """The parts of the bar as they are listed: of many classes those with the highest scores first."""
        is_sorted = len(self.bar) > _MOST_IN_ORDER
        return sorted(self.bar, key=lambda part: -part[2]) if is_sorted else self.bar

    @property
    def set_result(self) -> Json:
        """The result of the prototype set; empty where there is none."""
        return (self.context.prototype_set or _EMPTY).get("result") or _EMPTY

    @property
    def set_measures(self) -> Json:
        """How well the nearest prototype alone predicts, of all its prototypes together."""
        return self.set_result["evaluation"][-1] if self.set_result.get("evaluation") else _EMPTY

    @property
    def is_far(self) -> bool:
        """Whether hardly any row is farther from its nearest prototype than this one."""
        return self.typicality is not None and self.typicality["level"] in {"far", "none"}

    @property
    def is_weighted(self) -> bool:
        """Whether the trees that the row shares with its nearest prototype weigh more or less than as many others."""
        near = self.nearest[0]
        return bool(abs(near["shared_trees"] / near["n_trees"] - near["proximity"]) >= _UNEQUAL)

    @property
    def other_outcomes(self) -> list[str]:
        """The outcomes that the row does not have, which it may be wished to have."""
        decided = (self.row.get("decision") or _EMPTY).get("outcome")
        return [each for each in self.outcomes or [score["label"] for score in self.scores] if each != decided]

    @property
    def agrees(self) -> bool | None:
        """Whether the nearest prototype has the row's class or outcome; None where there is none, or neither."""
        label = self.nearest[0].get("label") if self.nearest else None
        if label is None:
            return None
        return bool(label == (self.row["decision"]["outcome"] if label in self.outcomes else self.prediction["label"]))

    @property
    def largest_effects(self) -> list[Step]:
        """The features that count most."""
        steps = () if self.waterfall is None else self.waterfall.steps
        return [step for step in steps if step.column is not None and step.effect][:_N_AT_A_GLANCE]

    @property
    def own_evidence(self) -> Json | None:
        """What became of rows like it: the share of the class whose score decides; None where that is not known."""
        shares = (self.row.get("evidence") or _EMPTY).get("shares") or ()
        return next((each for each in shares if not self.is_regression and each["label"] == self.shifted), None)

    @property
    def evidence_shares(self) -> list[Json]:
        """What became of rows like it: the outcomes that most of them had first, and that of the score that decides."""
        known = self.row["evidence"]
        first = sorted(known["shares"], key=lambda share: (-share["share"], share["label"] != known["score_of"]))
        return [share for share in first[:_MOST_SHARES] if share["share"]] or first[:_MOST_SHARES]

    @staticmethod
    def parameters_of(option: Json) -> str:
        """Return, as JSON, the parameters of the address that makes changes."""
        return dumps({f"set.{change['feature']}": text_of(change["to"]) for change in option["changes"]})

    def changeable(self, differences: Sequence[Json]) -> list[Json]:
        """Return the differences of a contrast without those of features that nothing can change."""
        return [each for each in differences if not each.get("fixed") and each["feature"] not in self.context.fixed]

    @cached_property
    def features(self) -> list[Feature]:
        """All lines of the comparison: those with a reason by descending share of trees, then the others.

        What-if keeps the order that the lines had before the change: nobody looks for the field that he just left.
        """
        values, reasons = self._values(), _reasons(self.row, self.context.chosen)
        order = dict.fromkeys([*self._reasons_before, *reasons, *values])
        return [self._feature(name, values[name], reasons.get(name)) for name in order if name in values]

    @cached_property
    def shown_features(self) -> list[Feature]:
        """The lines at the top: the first that have a reason, and those that were edited, wherever they are."""
        first = self.features[: self.context.n_shown]
        with_reason = {line.column.name for line in first if line.share_of_trees is not None}
        with_reason.update(line.column.name for line in first if line.column.name in self._reasons_before)
        return [line for line in self.features if line.column.name in with_reason or line.is_edited]

    @property
    def more_features(self) -> list[Feature]:
        """The lines that are folded away."""
        shown = {line.column.name for line in self.shown_features}
        return [line for line in self.features if line.column.name not in shown][: self.context.n_folded]

    @cached_property
    def _reasons_before(self) -> dict[str, Json]:
        return {} if self.context.unchanged is None else _reasons(self.context.unchanged, self.context.chosen)

    @property
    def n_missing(self) -> int:
        """How many of its values are missing."""
        return sum(line.value is None for line in self.features)

    @property
    def n_hidden(self) -> int:
        """Lines that are not drawn at all."""
        return len(self.features) - len(self.shown_features) - len(self.more_features)

    def _values(self) -> dict[str, tuple[Any, tuple[Any, ...]]]:
        """Return, by feature, the row's value and those of its nearest prototypes."""
        if (compared := self.row.get("values")) is not None:
            n = len(self.nearest)
            return {each["feature"]: (each["value"], tuple(each["prototype_values"][:n])) for each in compared}
        found: dict[str, Any] = {}
        by_prototype = [{reason["feature"]: reason for reason in near["reasons"]} for near in self.nearest]
        for reasons in by_prototype:
            for name, reason in reasons.items():
                others = tuple(each.get(name, _EMPTY).get("prototype_value", _UNKNOWN) for each in by_prototype)
                found.setdefault(name, (reason.get("value", _UNKNOWN), others))
        return found

    def _feature(self, name: str, values: tuple[Any, tuple[Any, ...]], reason: Json | None) -> Feature:
        value, others = values
        is_changed = name in self.context.changed
        return Feature(
            column=self.names[name],
            value=value,
            others=others,
            share_of_trees=None if reason is None else reason["share_of_trees"],
            stretch=None if reason is None else without_name(reason["text"], self.names[name]),
            strip=self._strip(name, reason, value),
            before=self.context.changed.get(name),
            is_changed=is_changed,
            refused=self.context.refused.get(name),
            choices=choices_of(self._columns.get(name), value),
            hint=hint_of(self._columns.get(name)),
            is_fixed=name in self.context.fixed,
            shift=self._shift(name) if is_changed else None,
        )

    def _shift(self, name: str) -> tuple[str, str] | None:
        """Return the score, or the value, before a change and after this change alone."""
        before, after = self.context.unchanged, self.context.alone.get(name)
        if after is None and len(self.context.changed) == 1:
            after = self.row
        if before is None or after is None or after["status"] == "error":
            return None
        return self._score_text(before), self._score_text(after)

    def _score_text(self, row: Json) -> str:
        if self.is_regression:
            return number(row["prediction"]["value"])
        return share(next(each["value"] for each in row["prediction"]["scores"] if each["label"] == self.shifted))

    @property
    def shifted(self) -> str:
        """The class whose score changes are said of: that which decides, or that which was predicted before."""
        decided = (self.row.get("decision") or _EMPTY).get("score_of")
        return str(decided or (self.context.unchanged or self.row)["prediction"]["label"])

    def _strip(self, name: str, reason: Json | None, value: Any) -> Strip | None:  # a cell
        axis = Axis.of(self._columns.get(name))
        interval = (reason or _EMPTY).get("interval")
        if axis is None or interval is None or "category" in interval or "categories" in interval:
            return None
        return Strip.of(axis, interval, _as_number(value), _as_number((reason or _EMPTY).get("prototype_value")))

    @property
    def is_by_rank(self) -> bool:
        """Whether strips go by rank among all rows."""
        return any(column.get("quantiles") for column in self._columns.values())

    @cached_property  # read for each feature
    def _columns(self) -> dict[str, Json]:
        return {column["name"]: column for column in (self.context.dataset or _EMPTY).get("columns", ())}

    def _images(self) -> list[tuple[str, str]]:
        """Return, where rows are images, the explained one and its nearest prototypes: a name and an address each."""
        values: Sequence[Json] = self.row.get("values") or ()
        columns = ImageColumns.among(self.context.dataset, [each["feature"] for each in values])
        if columns is None:
            return []
        own = {each["feature"]: each["value"] for each in values}
        shown = [("this row", columns.data_url(own))]
        tested = {reason["feature"]: reason["share_of_trees"] for reason in (self.chosen or {"reasons": ()})["reasons"]}
        if (heat := columns.heat_url(own, tested)) is not None:
            shown.append(("what the shared trees test", heat))
        for i, near in enumerate(self.nearest):
            cells = {each["feature"]: each["prototype_values"][i] for each in values}
            shown.append((f"row {near['row_id']}", columns.data_url(cells)))
        return shown


_UNKNOWN = ""


def _reasons(row: Json, chosen: int) -> dict[str, Json]:
    """Return the reasons of one of a row's nearest prototypes by feature, the most important first."""
    nearest = row.get("nearest_prototypes") or ()
    return (
        {reason["feature"]: reason for reason in nearest[min(chosen, len(nearest) - 1)]["reasons"]} if nearest else {}
    )


def _as_number(value: Any) -> float | None:  # a cell
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def without_name(text: str, column: ColumnName) -> str:
    """Return a reason's text after the name of its feature, such as ``is above 27.5``; all of it if it begins else."""
    name = next((name for name in (column.said, column.name) if text.startswith(f"{name} ")), None)
    return text if name is None else text[len(name) + 1 :]
