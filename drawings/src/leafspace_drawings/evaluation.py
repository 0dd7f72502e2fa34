"""An evaluation: how well a model predicts the labels of some rows, by cut-off and by group, and where it is wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .classes import Classes
from .columns import ColumnNames
from .forms import Form
from .links import Links
from .pictures import picture
from .square_plots import Plot, calibration_plot, precision_recall_plot, roc_plot, values_plot
from .templating import render
from .words import brief, share

Json = Mapping[str, Any]
_NOTHING: Json = {}

N_WRONG_SHOWN = 20
_MOST_IN_GRID = 10  # classes
_N_CONFUSIONS = 20
_FIGURES = {
    "errors": "the share of wrong predictions",
    "true_share": "the share of the positive outcome",
    "predicted_share": "the share that is predicted positive",
    "true_positive_rate": "the share that is found of the positive",
    "false_positive_rate": "the share that is wrongly predicted positive",
    "mean_absolute_error": "the mean size of errors",
    "mean_residual": "the mean error",
}


@dataclass(frozen=True, slots=True)
class EvaluationContext:
    """What a drawing of an evaluation can use beside its document; each part may be absent."""

    model: Json | None = None
    dataset: Json | None = None
    links: Links = field(default_factory=Links)
    explainer: str | None = None  # of the model, which explains the rows
    outcome: str | None = None  # the class whose curves are drawn; None: the first
    cutoff: int | None = (
        None  # index of the cut-off whose figures are shown; None: the model's own, or another as it suits
    )
    remedies: Mapping[str, Form] = field(default_factory=dict)  # forms of what cautions ask for, by step


@picture(
    "evaluation", ids="evl_", part="evaluations", words="evaluation", context=EvaluationContext, is_made_of_rows=True
)
def draw_evaluation(document: Json, context: EvaluationContext) -> str:
    """Return the drawing of a ready answer of ``GET /v1/evaluations/{id}``."""
    return render("evaluation", known=Evaluated(document, context))


class Evaluated:
    """What a template shows of an evaluation."""

    def __init__(self, document: Json, context: EvaluationContext) -> None:
        self.document, self.context, self.links = document, context, context.links
        self.result: Json = document["result"]
        self.classification: Json | None = self.result["classification"]
        self.regression: Json | None = self.result["regression"]
        model, dataset = context.model or _NOTHING, context.dataset or _NOTHING
        self.model_name = model.get("name") or document["request"]["model"]
        self.dataset_name = dataset.get("name") or document["request"]["dataset"]
        bands = [each["outcome"] for each in self.result["bands"]]
        self.classes = Classes([each["label"] for each in self._classes], context.dataset, bands)
        self.names = ColumnNames(context.dataset)

    @property
    def _classes(self) -> Sequence[Json]:
        classes: Sequence[Json] = self.classification["classes"] if self.classification else []
        return classes

    @property
    def grid(self) -> list[tuple[Json, list[Json | None]]] | None:
        """The classes, each with the cells of its rows by predicted class; None where there are too many."""
        if self.classification is None or len(self._classes) > _MOST_IN_GRID:
            return None
        cells = {(each["label"], each["predicted"]): each for each in self.classification["confusion"]}
        names = [each["label"] for each in self._classes]
        return [(each, [cells.get((each["label"], name)) for name in names]) for each in self._classes]

    @property
    def confusions(self) -> list[Json]:
        """The classes that are most often taken for others."""
        cells = self.classification["confusion"] if self.classification else []
        return [each for each in cells if each["label"] != each["predicted"]][:_N_CONFUSIONS]

    @property
    def outcomes(self) -> Sequence[Json]:
        """The classes that have curves, each against all others."""
        outcomes: Sequence[Json] = self.classification["outcomes"] if self.classification else []
        return outcomes

    @cached_property
    def outcome(self) -> Json | None:
        """The class whose curves are drawn."""
        wanted = self.context.outcome or self.result["positive"]
        return next((each for each in self.outcomes if each["outcome"] == wanted), next(iter(self.outcomes), None))

    @property
    def cutoffs(self) -> Sequence[Json]:
        """The cut-offs of that class, the highest first."""
        cutoffs: Sequence[Json] = self.outcome["cutoffs"] if self.outcome else []
        return cutoffs

    @property
    def chosen(self) -> int:
        """The index of the cut-off whose figures are shown.

        It is the chosen one, or else the model's own, or else the highest end of a band; without these the one from
        which on about as many rows are predicted as there are of the class.
        """
        if self.context.cutoff is not None and self.context.cutoff < len(self.cutoffs):
            return self.context.cutoff
        sources = [each["source"] for each in self.cutoffs]
        declared = next((source for source in ("model", "band") if source in sources), None)
        if declared is not None:
            return sources.index(declared)
        too_many = [abs(each["predicted"]["n_counted"] - each["true_positive_rate"]["n_rows"]) for each in self.cutoffs]
        return too_many.index(min(too_many)) if too_many else 0

    @property
    def cutoff(self) -> Json | None:
        """The cut-off whose figures are shown; None where there is none."""
        return self.cutoffs[self.chosen] if self.cutoffs else None

    @property
    def plots(self) -> list[Plot]:
        """The curves of the chosen class, with the chosen cut-off; of a regression, means by prediction."""
        if self.regression is not None:
            return [values_plot(self.regression["bins"])] if self.regression["bins"] else []
        if self.outcome is None or not self.outcome["points"]:
            return []
        plots = [roc_plot(self.outcome, self.cutoff), precision_recall_plot(self.outcome, self.cutoff)]
        calibration = self.outcome["calibration"]
        return [*plots, calibration_plot(calibration["bins"])] if calibration else plots

    @property
    def wrong(self) -> list[tuple[Json, str | None]]:
        """The first wrong predictions, each with the address of its explanation."""
        dataset = self.document["request"]["dataset"]
        return [
            (each, self.links.to_row(self.context.explainer, str(each["row_id"]), dataset))
            for each in self.result["wrong_rows"]
        ]

    @property
    def differing(self) -> list[tuple[str, Json, str]]:
        """Columns and groups with a sentence for each figure that differs from other rows by more than chance."""
        every = [(column["column"], group) for column in self.result["groups"] for group in column["groups"]]
        return [(column, group, text) for column, group in every for text in self.differences(group)]

    def differences(self, group: Json) -> list[str]:
        """Return a clause for each figure of a group that differs from other rows by more than chance."""
        figures = [(_FIGURES[name], group[name]) for name in group["differs"] if name in _FIGURES]
        decided = [
            (f"the share that is decided as {self.classes.said(each['outcome'])}", each["rows"])
            for each in group["outcomes"]
            if each["rows"]["differs"]
        ]
        return [_compared(*each) for each in (*figures, *decided)]

    def said_group(self, column: str, group: Json) -> str:
        """Return what people call a group."""
        return str(group["text"] if group["value"] is None else self.names[column].in_words(group["value"]))


def _compared(name: str, of_group: Json) -> str:
    """Return a figure of a group beside that of all other rows."""
    is_share = "share" in of_group
    own, rest = (of_group["share"], of_group["rest"]["share"]) if is_share else (of_group["value"], of_group["rest"])
    written = share if is_share else brief
    return f"{name} is {written(own)}, of all other rows {written(rest)}"
