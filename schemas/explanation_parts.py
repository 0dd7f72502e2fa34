"""Optional parts of explanations: each is declared once, in ``PARTS``, and its field is in ``OptionalParts``.

What may be included, its description, what is refused, the SDK's ``Include`` and the columns of tables follow. To add a
part, declare it here with its field, write it (``explanations/part_writers.py``), draw it
(``drawings/…/templates/explanation.html.jinja``), and describe its method in ``docs/methods.md``.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from .approximation_trees import PathNode
from .changes import Changes, Curve
from .contract import Contract, RowId, absent, without_default
from .evidence import Evidence
from .models import Score
from .reasons import (
    FEATURE_TEXT,
    PREDICTED_OF_A_PROTOTYPE,
    REASONS,
    TARGET_OF_A_ROW,
    Cell,
    FeatureOfTwoRows,
    Reason,
    ReasonInterval,
)
from .rule_sets import PREDICTED
from .training_rows import TrainingRows


@dataclass(frozen=True, slots=True)
class Part:
    """An optional part of explanations."""

    name: str
    """Its name in `include`."""
    field: str | None
    """The field of ``OptionalParts`` that it fills; ``None``: it adds to fields of others."""
    description: str
    """What it is, as a phrase."""
    needs: str | None = None
    """The field of an explainer that it is made of, without which it is refused; ``None``: every explainer has it."""
    lack: str = ""
    """What an explainer without it has, and what to do."""
    reads_reference_rows: bool = False
    """Whether it is read from the file of the reference rows, where there is one."""
    is_default: bool = False
    """Whether every explanation has it, without being asked to include it."""
    is_costly: bool = False
    """Whether it takes so long that explanations in full detail have it only where it is included."""


PARTS = (
    Part(
        "effects", "effects", "by how much each feature moves the score from that of a reference case", is_default=True
    ),
    Part("values", "values", "the values of the row and of its nearest prototypes"),
    Part("intervals", None, "the ends of each reason as numbers"),
    Part(
        "contrast",
        "contrasts",
        "the nearest prototypes of other classes, and what the trees test that tell the two apart",
        reads_reference_rows=True,
    ),
    Part(
        "rules",
        "rules",
        "the rules that apply, if the explainer has a rule set",
        needs="rule_set",
        lack="no rules to include; register one with a rule_set",
    ),
    Part(
        "approximation_path",
        "approximation_path",
        "the path in the approximation tree, if the explainer has one",
        needs="approximation_tree",
        lack="no tree to lead a row; register one with an approximation_tree",
    ),
    Part(
        "nearest_rows",
        "nearest_rows",
        "the nearest of all reference rows, if the explainer has them",
        needs="nearest_rows",
        lack="no reference rows to search: they are kept for at most 250,000,000 rows x (trees + features); request a "
        "prototype set of fewer rows",
        reads_reference_rows=True,
    ),
    Part(
        "changes",
        "changes",
        "the smallest changes of the row that would give it another outcome",
        reads_reference_rows=True,
        is_costly=True,
    ),
    Part(
        "curves",
        "curves",
        "how the score changes with each feature, all else as it is",
        reads_reference_rows=True,
        is_costly=True,
    ),
    Part(
        "evidence",
        "evidence",
        "the true classes of the reference rows most like the row, if the explainer has these rows",
        needs="nearest_rows",
        lack="no reference rows whose true classes are evidence: they are kept for at most 250,000,000 rows x (trees + "
        "features); request a prototype set of fewer rows",
        reads_reference_rows=True,
        is_costly=True,
    ),
    Part(
        "training_rows",
        "training_rows",
        "the rows that the model was trained on which make its prediction, by their shares in a forest, or their "
        "weights in boosting by squared error, if these rows are the explainer's",
        needs="nearest_rows",
        lack="no reference rows whose shares could be found: they are kept for at most 250,000,000 rows x (trees + "
        "features); request a prototype set of fewer rows",
        reads_reference_rows=True,
        is_costly=True,
    ),
)
PART_OF = {part.name: part for part in PARTS}
_INCLUDED = [part for part in PARTS if not part.is_default]
if TYPE_CHECKING:
    IncludedPart = str
else:
    IncludedPart = Literal[tuple(part.name for part in _INCLUDED)]
INCLUDE = f"Optional parts of explanations. {'; '.join(f'`{part.name}`: {part.description}' for part in _INCLUDED)}."


class ComparedFeature(Contract):
    """The values of one feature, of the row and of its nearest prototypes."""

    feature: str = Field(description="Name of the feature.")
    feature_text: str | SkipJsonSchema[None] = absent(FEATURE_TEXT)
    value: Cell = Field(description="Value of the row; null if it is missing.")
    prototype_values: list[Cell] = Field(
        description="Value of each of the nearest prototypes, in their order; null where it is missing."
    )
    row_values: list[Cell] | SkipJsonSchema[None] = absent(
        "Value of each of the `nearest_rows`, in their order, null where it is missing; absent unless these are "
        "included."
    )


ReferenceKind = Literal["contrast", "nearest", "prototypes", "rows", "all"]


class EffectsReference(Contract):
    """The case that a row is compared with, or the cases, whose mean effects are shown."""

    kind: ReferenceKind = Field(
        description="`contrast`: the nearest prototype of another class, or of the best other outcome that has one; "
        "`nearest`: the nearest prototype; `prototypes`: all of one outcome, each weighted by the rows that it "
        "represents; `rows`: the reference rows of one outcome; `all`: all reference rows."
    )
    row_id: RowId | SkipJsonSchema[None] = absent("Id of the row; absent where effects are means over several rows.")
    outcome: str | SkipJsonSchema[None] = absent(
        "Class or outcome of the row or rows; absent for regression, and of `all`."
    )
    outcome_text: str | SkipJsonSchema[None] = absent(
        "What the dictionary calls the outcome; absent where it is called by its name."
    )
    n_rows: int = Field(description="Number of rows that effects are means over; 1 of `contrast` and of `nearest`.")
    among: int | SkipJsonSchema[None] = absent(
        "Number of rows of which these are evenly spaced ones, where all would take too long; absent where they are "
        "all."
    )
    score: float = Field(description="Score, or mean score, in the scale of the effects.")
    probability: float | SkipJsonSchema[None] = absent(
        "The same as a probability, or the mean of these, 0 to 1: effects in `points` add up to the row's probability "
        "less this. Only where features have points."
    )


class FeatureEffect(Contract):
    """By how much one feature moves the score."""

    feature: str = Field(
        description="Name of the feature, or of a group of features in the dictionary that count as one; of a column "
        "made of several features, the column's."
    )
    feature_text: str | SkipJsonSchema[None] = absent(FEATURE_TEXT)
    group: list[str] | SkipJsonSchema[None] = absent("Features of the group; absent where it is a single one.")
    protected: bool | SkipJsonSchema[None] = absent(
        "True where the dictionary protects the feature, or one of the group: it is no reason and never changed."
    )
    value: Cell = Field(
        default=None,
        description="Value of the row; null if it is missing. Absent where the feature is not a raw one.",
        json_schema_extra=without_default,
    )
    reference_value: Cell = Field(
        default=None,
        description="Value of the reference case; null if it is missing. Absent where the feature is not a raw one, "
        "and where effects are means over several rows.",
        json_schema_extra=without_default,
    )
    value_text: str | SkipJsonSchema[None] = absent(
        "Value of the row in the words of the dictionary; absent where it has none for the feature."
    )
    reference_text: str | SkipJsonSchema[None] = absent("Value of the reference case in these words.")
    effect: float = Field(description="How much of the difference of the two scores is due to it, in the scale.")
    points: float | SkipJsonSchema[None] = absent(
        "The same in points of probability, -1 to 1, by the rescale rule, for each reference row by itself; only where "
        "the scale is `log_odds` and there are two classes."
    )


class OtherEffects(Contract):
    """The features that are not listed."""

    n_features: int = Field(description="Number of other features that have an effect, hidden ones included.")
    effect: float = Field(description="The sum of their effects.")


class PrincipalReason(Contract):
    """A feature, or a group of features, that speaks for an adverse outcome, as a notice states it."""

    feature: str = Field(description="Name of the feature, or of the group.")
    code: str | SkipJsonSchema[None] = absent("Code of the reason in the dictionary; absent without one.")
    text: str = Field(description="The reason in the dictionary's words; without any, what the feature is called.")


class Effects(Contract):
    """By how much each feature moves the score of a row from that of a reference case: exact Shapley values.

    A feature's effect is its mean contribution, over all orders in which the features can be changed from those of the
    reference case to those of the row, to the model's raw score. It is of the model, and not of the world.
    """

    of: str | SkipJsonSchema[None] = absent(
        "Class whose score it is: the predicted one, the one whose score is in bands, or that of the requested "
        "`outcome`; absent for regression."
    )
    scale: Literal["probability", "log_odds", "value"] = Field(
        description="What the trees add up: shares of classes (`probability`), values before the logistic function or "
        "the softmax (`log_odds`), or predicted values (`value`)."
    )
    score: float = Field(description="Score of the row, in the scale.")
    reference: EffectsReference = Field(description="The case, or the cases, that the row is compared with.")
    features: list[FeatureEffect] = Field(
        description="Features by descending size of their effects, at most `n_reasons`; effects of all, and of the "
        "`rest`, add up to the difference of the two scores, each rounded to 7 digits of the larger score."
    )
    rest: OtherEffects = Field(description="What the features that are not listed add.")
    principal_reasons: list[PrincipalReason] | SkipJsonSchema[None] = absent(
        "Where the outcome is adverse, as the model's decision or the dictionary says: the features, or groups, that "
        "move the score most towards it, at most four, without protected and hidden ones, and without those that move "
        "it by less than a twentieth of what the first of all does; else absent."
    )


class Difference(FeatureOfTwoRows):
    """A feature at which trees part a row from a prototype: at it, their paths in a tree go different ways first."""

    text: str = Field(
        description="What the trees that separate the two rows test at this feature, as an English phrase, such as "
        "`whether income is above 45,000; it is 31,000 here`. The answer is yes for the prototype and no for the row. "
        "It is not claimed that the prediction changes with this feature alone, nor that it changes with no other. "
        "Where the feature is `fixed`, it ends with `and cannot change`."
    )
    fixed: Literal[True] | SkipJsonSchema[None] = absent(
        "Whether the dictionary fixes this feature: the two rows differ at it, and nothing can change it; absent of "
        "others."
    )
    share_of_trees: float = Field(
        description="Among the trees that separate the two rows, the share, by weight, of those that do so at this "
        "feature, 0 to 1, rounded to 4 decimals. Over all features, hidden ones included, these shares add up to 1."
    )
    interval: ReasonInterval | SkipJsonSchema[None] = absent(
        "What holds for the prototype, in numbers; absent unless `intervals` are included."
    )


class Contrast(Contract):
    """The nearest prototype of another class, and what the trees that tell the two apart ask most often."""

    row_id: RowId
    label: str = Field(description="Class of the prototype.")
    predicted: str | SkipJsonSchema[None] = absent(PREDICTED_OF_A_PROTOTYPE)
    target: str | float | SkipJsonSchema[None] = absent(TARGET_OF_A_ROW)
    proximity: float = Field(
        description="Proximity to the row, 0 to 1; where it is 0, this is the prototype of its class selected first."
    )
    differences: list[Difference] | SkipJsonSchema[None] = absent(
        "Features at which the trees part the two rows, by descending share of trees; at most `n_reasons`. Absent "
        "where the prototype set keeps no reference rows, and with them no paths."
    )


class FiringRule(Contract):
    """A rule whose conditions the row satisfies."""

    rank: int = Field(description="1-based rank of the rule in the rule set.")
    text: str = Field(description="Conditions of the rule as an English phrase.")
    prediction: float | str = Field(description=PREDICTED)
    weight: float | SkipJsonSchema[None] = absent(
        "Weight of the rule where not the first rule decides but the weighted mean of all that apply; else absent."
    )


class PathLeaf(Contract):
    """The leaf that a row reaches in the approximation tree."""

    id: int = Field(description="Id of the node in the tree.")
    prediction: float | str = Field(description=PREDICTED)
    scores: list[Score] = Field(description="Shares of the classes in the order of the classes; empty for regression.")
    n_samples: int = Field(description="Number of the reference dataset's rows that reach it.")


class ApproximationPath(Contract):
    """A row's path in the approximation tree."""

    agrees: bool | SkipJsonSchema[None] = absent(
        "Whether the leaf has the label that the model predicts; absent for regression."
    )
    nodes: list[PathNode] = Field(description="Conditions on the path, from the root.")
    leaf: PathLeaf = Field(description="The leaf at the end of the path.")


class NearestRow(Contract):
    """A reference row near the row, as the model sees it."""

    row_id: RowId
    label: str | SkipJsonSchema[None] = absent("Class that the model predicts for it; absent for regression.")
    value: float | SkipJsonSchema[None] = absent("Value that the model predicts for it; absent for classification.")
    target: str | float | SkipJsonSchema[None] = absent(TARGET_OF_A_ROW)
    proximity: float = Field(
        ge=0, le=1, description="Share of trees, by weight, in which it has the same leaf as the row."
    )
    reasons: list[Reason] = Field(description=REASONS)


class OptionalParts(Contract):
    """The fields of explanations that ``PARTS`` declares."""

    effects: Effects | SkipJsonSchema[None] = absent(
        "By how much each feature moves the score from that of a reference case; absent where all prototypes are of "
        "the row's class, and where the model's scores are no sums over its trees."
    )
    values: list[ComparedFeature] | SkipJsonSchema[None] = absent(
        "Values in the model's order, of the features that the explainer shows; absent unless included."
    )
    contrasts: list[Contrast] | SkipJsonSchema[None] = absent(
        "Nearest prototypes of other classes than the predicted one, nearest first; absent unless included, and for "
        "regression."
    )
    rules: list[FiringRule] | SkipJsonSchema[None] = absent(
        "Rules that apply, in the order of the rule set: the first decides, and without any the default rule does; "
        "where they have a `weight`, the weighted mean of all that apply does. "
        "Absent unless included."
    )
    approximation_path: ApproximationPath | SkipJsonSchema[None] = absent(
        "Path of the row in the approximation tree; absent unless included."
    )
    nearest_rows: list[NearestRow] | SkipJsonSchema[None] = absent(
        "The nearest of all reference rows by descending proximity; absent unless included."
    )
    changes: Changes | SkipJsonSchema[None] = absent(
        "The smallest changes that would give the row the wished `outcome`; absent unless included, and where it has "
        "this outcome already, or the best one."
    )
    curves: list[Curve] | SkipJsonSchema[None] = absent(
        "How the score changes with each feature, those with the widest range of scores first, at most 40; those with "
        "none are left out. Absent unless included."
    )
    evidence: Evidence | SkipJsonSchema[None] = absent(
        "The true classes of the reference rows most like the row; absent unless included."
    )
    training_rows: TrainingRows | SkipJsonSchema[None] = absent(
        "Which training rows the prediction is made of, by which share or weight each; absent unless included."
    )
