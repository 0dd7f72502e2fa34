"""Where two models differ on the same rows, or how two sets of rows differ by one model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .classes import Classes, with_adverse
from .columns import ColumnNames
from .forms import Form
from .links import Links
from .overview import ModelFigure
from .pictures import picture
from .templating import render
from .words import effect_scale

Json = Mapping[str, Any]
_NOTHING: Json = {}
_N_ROWS_SHOWN, _N_EFFECTS_SHOWN = 10, 10


@dataclass(frozen=True, slots=True)
class Measured:
    """How well a model predicts the rows on which it is compared, or the form that measures it."""

    figure: ModelFigure | None = None
    evaluation: str | None = None  # its id
    form: Form | None = None


@dataclass(frozen=True, slots=True)
class ComparisonContext:
    """What a drawing of a comparison can use beside its document; each part may be absent."""

    model: Json | None = None
    dataset: Json | None = None
    other: Json | None = None  # the other model or dataset, as lists have it
    explainer: str | None = None  # of the model, which explains the rows
    other_explainer: str | None = None  # of the other model
    measured: Mapping[str, Measured] = field(default_factory=dict)  # of two models, by id
    links: Links = field(default_factory=Links)
    remedies: Mapping[str, Form] = field(default_factory=dict)  # forms of what cautions ask for, by step


@picture(
    "comparison", ids="cmp_", part="comparisons", words="comparison", context=ComparisonContext, is_made_of_rows=True
)
def draw_comparison(document: Json, context: ComparisonContext) -> str:
    """Return the drawing of a ready answer of ``GET /v1/comparisons/{id}``."""
    return render("comparison", found=_Found(document, context))


class _Found:
    """What the template shows of a comparison."""

    def __init__(self, document: Json, context: ComparisonContext) -> None:
        model, dataset, links = context.model or _NOTHING, context.dataset or _NOTHING, context.links
        self.request: Json = document["request"]
        self.result: Json = document["result"]
        self.models: Json | None = self.result["models"]
        self.datasets: Json | None = self.result["datasets"]
        self.model_name = model.get("name") or self.request["model"]
        self.dataset_name = dataset.get("name") or self.request["dataset"]
        decided = Classes.of_outcomes(model, context.dataset).labels  # first, so that they are marked as elsewhere
        unknown = [each for each in self._outcomes() if each not in decided]
        self.classes = Classes([*decided, *unknown], with_adverse(context.dataset, context.model))
        self.columns = ColumnNames(context.dataset)
        self.context = context
        other = self.request["other_model"] or self.request["other_dataset"]
        self.other = (context.other or _NOTHING).get("name") or other
        if self.models and self.other == self.model_name:  # as of a model that was trained again
            self.model_name, self.other = self.request["model"], other
        self.other_address = links.to("datasets" if self.datasets else "models", other)
        self.largest = max((each["moved"] for each in self.effects), default=0) or 1

    def _outcomes(self) -> list[str]:
        if self.datasets is not None:
            return [each["outcome"] for each in self.datasets["outcomes"]]
        changes = self.models["changes"] if self.models else []
        rows = self.models["rows"] if self.models else []
        named = [each[key] for each in (*changes, *rows) for key in ("outcome", "other_outcome")]
        return sorted({each for each in named if each is not None})

    @property
    def effects(self) -> Sequence[Json]:
        """The effects that moved most, and all those that moved by more than chance would explain."""
        effects: Sequence[Json] = self.result["effects"]
        return [each for i, each in enumerate(effects) if i < _N_EFFECTS_SHOWN or self.has_moved(each)]

    def has_moved(self, effect: Json) -> bool:
        """Whether a feature's effects differ between two datasets by more than chance would explain."""
        return self.datasets is not None and effect["feature"] in self.datasets["features_moved"]

    @property
    def about_effects(self) -> str:
        """What the figures of effects are, in a sentence or two."""
        scale = self.result["effects_scale"]
        if scale == "share":
            return "Each feature's share of all mean effect sizes, as the effects of these models have other scales."
        of = f"effect on the {effect_scale(scale)}, against the mean of the same reference rows"
        if self.models is not None:
            return f"Mean size of the {of}. Moved by: how far a row's effects by the two are apart, on average."
        moved = "how far effects have to move to be those of the other rows"
        return f"Mean {of}. Moved by: {moved}. p: how likely such a move is by chance."

    @property
    def measured(self) -> list[tuple[str, Measured, str | None]]:
        """The two models by name, with how well each predicts these rows, and the address of that."""
        sides = ((self.request["model"], self.model_name), (self.request["other_model"], self.other))
        known = [(name, self.context.measured[side]) for side, name in sides if side in self.context.measured]
        to = self.context.links.to
        return [(name, each, each.evaluation and to("evaluations", each.evaluation)) for name, each in known]

    @property
    def rows(self) -> Sequence[Json]:
        """The rows that changed most."""
        rows: Sequence[Json] = self.models["rows"] if self.models else []
        return rows[:_N_ROWS_SHOWN]

    def why(self, row_id: str) -> str | None:
        """Return the address at which the model's explainer explains a row."""
        return self.context.links.to_row(self.context.explainer, row_id, self.request["dataset"])

    def why_by_other(self, row_id: str) -> str | None:
        """Return the address at which the other model's explainer explains it."""
        return self.context.links.to_row(self.context.other_explainer, row_id, self.request["dataset"])

    @property
    def is_share(self) -> bool:
        """Whether outcomes are compared, and not values."""
        return self.models is not None and self.models["compared_by"] == "outcomes"
