"""A model's view: its kind, its features, and how well its approximations predict what it predicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .classes import Classes, with_adverse
from .columns import ColumnNames
from .decided import Decided
from .evaluation import Evaluated, EvaluationContext
from .forms import Form
from .links import Links
from .mean_effects import OverRows
from .pictures import picture, words_of
from .prototype_set import Group, SetContext, groups_of
from .remedies import Cautioned, Note, note_of
from .templating import render
from .words import agreement, counted, number

Json = Mapping[str, Any]

N_FEATURES_SHOWN = 20
_N_CARDS = 120
_KINDS = {"random_forest": "random forest", "boosting": "boosted trees"}


@dataclass(frozen=True, slots=True)
class ModelContext:
    """What a drawing of a model can use beside its document; each part may be absent or empty."""

    prototype_sets: Sequence[Json] = ()
    rule_sets: Sequence[Json] = ()
    approximation_trees: Sequence[Json] = ()
    feature_usage: Sequence[Json] = ()  # feature, share_of_trees, share_of_questions, the most used first
    made: Sequence[tuple[str, str | None, Json]] = ()  # all that was made of it, as ``made_of`` returns it
    columns: Json | None = None  # a dataset that has titles for its features
    links: Links = field(default_factory=Links)
    explainer: str | None = None  # id of one of the rows that the first of the prototype sets is made of
    effects: Json | None = None  # the mean sizes of the effects of its reference rows
    comparisons: Sequence[tuple[str, Json]] = ()  # with the name of the other model or dataset, the newest first
    evaluation: Json | None = None  # of the model, if there is one
    errors_follow: bool = False  # whether a drawing of the evaluation stands behind this one
    evaluate: Form | None = None  # how an evaluation is requested
    remedies: Mapping[str, Mapping[str, Form]] = field(default_factory=dict)  # by ids of what is made of it, by step
    requests: Sequence[Form] = ()  # of what can be made of it
    renaming: Form | None = None  # how it gets another name


def kind_of(model: Json) -> str:
    """Return what a model is, in words."""
    if not model["n_trees"]:
        return "a model without trees"
    return ensemble_words(model["ensemble"])


def ensemble_words(ensemble: str | None) -> str:
    """Return how the trees of a model are combined, in words."""
    return _KINDS.get(ensemble or "", "tree ensemble")


@picture("model", ids="mdl_", part="models", words="model", context=ModelContext)
def draw_model(document: Json, context: ModelContext) -> str:
    """Return the drawing of an answer of ``GET /v1/models/{id}``."""
    return render("model", known=_Known(document, context))


@dataclass(frozen=True, slots=True)
class Explained:
    """A line of the table of trust: how well one method predicts on the rows of its evaluation."""

    name: str
    accuracy: float | None  # balanced; R2 for regression
    constant: float | None  # the balanced accuracy of a constant answer; None of a regression, where R2 is beside 0
    agreement: str | None  # with the model, beside that of a constant answer
    n_rows: int
    on: str  # the rows: of the ``dataset`` that it was made from, or of an ``evaluation_dataset``
    href: str | None = None


def trust_of(document: Json, context: ModelContext) -> list[Explained]:
    """Return the table of trust: the model and its approximations, each on the rows of its own evaluation."""
    return _Known(document, context).trust


def cautions_of(made: Sequence[Json]) -> list[str]:
    """Return what the cautions of some results say, each once, without a full stop."""
    return list(dict.fromkeys(each["detail"] for one in made for each in one["result"]["cautions"]))


class _Known:
    """What the template shows of a model."""

    def __init__(self, document: Json, context: ModelContext) -> None:
        self.document, self.context, self.links = document, context, context.links
        self.is_regression = document["task"] == "regression"
        self.has_values = self.is_regression and not document.get("decision")  # and no outcomes
        self.columns = with_adverse(context.columns, document)
        self.classes = Classes(document.get("classes") or [], self.columns)
        self.kind = kind_of(document)
        self.names = ColumnNames(context.columns)
        self.decided = Decided.of_model(document, context.columns)
        self.effects = OverRows(None, context.effects, self.names)

    @property
    def typical(self) -> list[Group]:
        """The prototypes of each outcome."""
        if not self.context.explainer or not self.context.prototype_sets:
            return []
        beside = SetContext(self.document, self.columns, self.links, n_cards=_N_CARDS, explainer=self.context.explainer)
        return groups_of(self.context.prototype_sets[0], beside)

    @cached_property
    def evaluated(self) -> Evaluated | None:
        """The evaluation, as its own view has it."""
        if self.context.evaluation is None:
            return None
        beside = EvaluationContext(self.document, self.context.columns, self.links, self.context.explainer)
        return Evaluated(self.context.evaluation, beside)

    @property
    def measured(self) -> Explained | None:
        """How well the model itself predicts, where something that was made of it says so."""
        return next((line for line in self.trust if line.name == "the model"), None)

    @property
    def is_measured(self) -> bool:
        """Whether anything in the table of trust is held against labels: outcomes of a decision are no labels."""
        return any(line.accuracy is not None for line in self.trust)

    @property
    def features(self) -> list[tuple[str, str]]:
        """Names and types of the features that are shown: those of the dataset, which lacks hidden ones."""
        columns = None if self.context.columns is None else {each["name"] for each in self.context.columns["columns"]}
        named = zip(self.document["feature_names"], self.document["feature_types"], strict=True)
        return [each for each in named if columns is None or each[0] in columns][:N_FEATURES_SHOWN]

    @property
    def usage(self) -> Sequence[Json]:
        """The features that most splits test, as many as are shown: of deep trees each tests nearly all features."""
        return sorted(self.context.feature_usage, key=lambda each: -each["share_of_questions"])[:N_FEATURES_SHOWN]

    @property
    def n_untested(self) -> int:
        """The number of features that no tree tests."""
        return sum(each["share_of_trees"] == 0 for each in self.context.feature_usage)

    @property
    def trust(self) -> list[Explained]:
        """The model and what approximates it, each on the rows of its own evaluation."""
        lines: list[Explained] = []
        for document in self.context.prototype_sets:
            lines += self._of_prototypes(document["result"], self.links.to("prototypes", document["id"]))
        for document in self.context.rule_sets:
            lines += self._of_rules(document["result"], self.links.to("rules", document["id"]))
        for document in self.context.approximation_trees:
            lines += self._of_tree(document["result"], self.links.to("trees", document["id"]))
        models = {(line.n_rows, line.on, line.accuracy): line for line in lines if line.name == "the model"}
        return [*models.values(), *(line for line in lines if line.name != "the model")]

    @property
    def note(self) -> Note:
        """What limits the figures of the table of trust, each once, with the forms of what it asks for."""
        made = [*self.context.prototype_sets, *self.context.rule_sets, *self.context.approximation_trees]
        return note_of([self._cautioned(each) for each in made], self.links)

    @property
    def note_of_evaluation(self) -> Note:
        """What limits the figures of the evaluation, with the forms of what it asks for."""
        evaluation = self.context.evaluation
        return note_of([self._cautioned(evaluation)] if evaluation else [], self.links)

    def _cautioned(self, made: Json) -> Cautioned:
        return Cautioned(
            made["result"]["cautions"], self.context.remedies.get(made["id"], {}), made["id"], words_of(made["id"])
        )

    def _agreement(self, measured: Json, constant: Json | None) -> str | None:
        """Return how often predictions agree with the model; for regression the R2 to it."""
        if measured["fidelity"] is None:
            return None
        if self.has_values:
            return number(measured["fidelity"])
        return agreement(measured, constant, self.classes.said)

    def _of_prototypes(self, result: Json, href: str | None) -> list[Explained]:
        name = f"nearest of {len(result['prototypes'])} prototypes"
        on = result["evaluated_on"]
        key = "r2" if self.has_values else "balanced_accuracy"
        last, model = result["evaluation"][-1], result["baseline"]["model"]  # None without a target
        n_rows, constant = result["baseline"]["one_nearest_neighbor"]["n_rows"], result["baseline"]["constant"]
        answered = constant and constant["balanced_accuracy"]
        of_model = [Explained("the model", model[key], answered, None, model["n_rows"], on)] if model else []
        agreed = self._agreement(last, constant)
        return [*of_model, Explained(name, last[key], answered, agreed, n_rows, on, href)]

    def _of_rules(self, result: Json, href: str | None) -> list[Explained]:
        measured, rules = result["evaluation"], result["evaluation"]["as_printed"]
        reached = rules["r2"] if self.has_values else 1 - rules["balanced_error"]
        name, constant = counted(len(result["rules"]), "rule"), measured["constant"]
        answered = None if self.has_values or constant is None else 1 - constant["balanced_error"]
        agreed = self._agreement(rules, constant)
        if measured["measured_against"] == "model":  # then errors say the same as the agreement
            reached = answered = None
        return [Explained(name, reached, answered, agreed, measured["n_rows"], measured["evaluated_on"], href)]

    def _of_tree(self, result: Json, href: str | None) -> list[Explained]:
        measured = result["evaluation"]
        reached = measured["r2"] if self.has_values else measured["balanced_accuracy"]
        name, constant = f"one tree of {counted(result['n_leaves'], 'leaf', 'leaves')}", measured["constant"]
        agreed, answered = self._agreement(measured, constant), constant and constant["balanced_accuracy"]
        return [Explained(name, reached, answered, agreed, measured["n_rows"], measured["evaluated_on"], href)]
