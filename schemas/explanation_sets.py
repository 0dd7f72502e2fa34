"""Explanation sets: every row of a dataset explained."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints
from typing_extensions import TypeAliasType

from .artefacts import REQUEST, RESULT, ArtefactView, RunOn
from .contract import NUMBER, OBJECT, WORD, WORD_OR_NUMBER, Contract, Identifier, Many, Name, RowsOfDataset
from .dictionaries import DictionaryUsed
from .explanation_parts import INCLUDE, PARTS, IncludedPart
from .paper_settings import MethodRequest

MAX_REASONS = 100
MAX_CONTRASTS = 20
MAX_SEARCHED_IDS = 10_000
MAX_CONSTRAINED_FEATURES = 10_000
MAX_CHANGED_FEATURES = 100
_COSTLY = ", ".join(f"`{part.name}`" for part in PARTS if part.is_costly)
ReferenceName = Annotated[
    str, StringConstraints(max_length=300, pattern=r"^(contrast|nearest|all|(prototypes|rows):[^\x00]+)$")
]
NumberOfReasons = TypeAliasType(
    "NumberOfReasons",
    Annotated[
        Annotated[int, Field(strict=True, ge=0, le=MAX_REASONS), NUMBER] | Annotated[Literal["all"], WORD],
        WORD_OR_NUMBER,
    ],
)


class NearestRowsOptions(Contract):
    """Which of the reference rows `nearest_rows` lists."""

    n_rows: int = Field(
        default=5,
        strict=True,
        ge=1,
        le=100,
        description="Maximum number of rows; those that share no leaf with the explained row are left out.",
    )
    classes: list[str] | None = Field(
        default=None,
        min_length=1,
        max_length=1000,
        description="Only rows for which the model predicts one of these classes; null: of any. Not applicable to "
        "regression.",
    )
    max_per_group: int | None = Field(
        default=None,
        strict=True,
        ge=1,
        le=100,
        description="Maximum number of rows of a group: from near to far, a row is passed over when its group has that "
        "many. Null: any number.",
    )
    group_by: Name | None = Field(
        default=None,
        description="Column of the reference dataset, such as one of households, whose value is the group of a row; "
        "rows without a value are one group. Null: the class that the model predicts.",
    )
    row_ids: Many[str] | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_SEARCHED_IDS,
        description="Only rows with these ids; null: all.",
    )


class ExplanationParts(Contract):
    """What explanations have beside the prediction and the nearest prototypes, and how much of it."""

    n_prototypes: int = Field(
        default=3, strict=True, ge=1, le=100, description="Maximum number of nearest prototypes of each row."
    )
    n_reasons: NumberOfReasons = Field(
        default=5,
        description="Maximum number of reasons for each prototype, those that most of the shared trees test first, or "
        "`all`.",
    )
    include: list[IncludedPart] = Field(default=[], description=INCLUDE)
    n_contrasts: int = Field(
        default=1,
        strict=True,
        ge=1,
        le=MAX_CONTRASTS,
        description="Maximum number of other classes in `contrasts`, where `contrast` is included: the nearest ones, "
        "each by its nearest prototype.",
    )
    nearest_rows: NearestRowsOptions | None = Field(
        default=None, description="Which rows `nearest_rows` lists, where it is included; null: the nearest five."
    )
    reference: ReferenceName | None = Field(
        default=None,
        description="What effects compare each row with. `contrast`: the nearest prototype of another class, or of the "
        "best other outcome; `nearest`: the nearest prototype; `prototypes:<outcome>`: the mean over the prototypes of "
        "an outcome or class, weighted by the rows that they represent; `rows:<outcome>`: the mean over the reference "
        "rows of an outcome or class; `all`: the mean over all reference rows. Null: `contrast`, or `nearest` for "
        "regression without a decision.",
    )
    outcome: str | None = Field(
        default=None,
        description="Outcome, or class, that the question is about: effects are on its score, and `changes`, where "
        "these are included, aim at it. Null: effects are on the score that decides or, without a decision, on that of "
        "the predicted class; changes aim at the next better outcome where a decision has bands, and otherwise at the "
        "other class with the highest score.",
    )
    max_changed_features: int = Field(
        default=10,
        strict=True,
        ge=1,
        le=MAX_CHANGED_FEATURES,
        description="How many features may change together in `changes`, at most. All changes of one and of two are "
        "searched; only where there is none, one of more is taken from the values of a real row.",
    )
    fixed: Many[str] = Field(
        default=[],
        max_length=MAX_CONSTRAINED_FEATURES,
        description="Features that never change in `changes`, such as age; a column of a one-hot group fixes all "
        "of it. Features that the explainer hides are always fixed.",
    )
    only_up: Many[str] = Field(
        default=[],
        max_length=MAX_CONSTRAINED_FEATURES,
        description="Features of numbers that only grow in `changes`, such as years of employment; a missing value "
        "stays missing.",
    )
    only_down: Many[str] = Field(
        default=[],
        max_length=MAX_CONSTRAINED_FEATURES,
        description="Features of numbers that only shrink in `changes`; a missing value stays missing.",
    )
    detail: Literal["short", "full"] = Field(
        default="short",
        description="`full` gives everything that the explainer has: all reasons, all optional parts, and more about "
        f"each prototype. `n_reasons` changes nothing then, and `include` only adds {_COSTLY}.",
    )


class ExplanationSetRequest(MethodRequest, ExplanationParts):
    """Which dataset to explain, and by which explainer."""

    explainer: Identifier = Field(description="Id of the explainer.")
    dataset: Identifier = Field(description="Id of the dataset whose rows are explained.")
    run_on: RunOn = "auto"


class LabelCount(Contract):
    """How often the model predicts a label."""

    label: str = Field(description="The label.")
    n_rows: int = Field(description="Number of explained rows for which the model predicts it.")


class OutcomeCount(Contract):
    """How often an outcome is decided."""

    outcome: str = Field(description="The outcome.")
    n_rows: int = Field(description="Number of explained rows for which it is decided.")


class LevelCount(Contract):
    """How many rows are so typical."""

    level: Literal["close", "typical", "far", "none"] = Field(description="Level of `typicality`.")
    n_rows: int = Field(description="Number of explained rows of this level.")


class WarningCount(Contract):
    """How many rows have a warning."""

    code: str = Field(description="Code of the warning, such as `unseen_category`.")
    n_rows: int = Field(description="Number of explained rows with at least one such warning.")


class MeanEffect(Contract):
    """How much a feature moves the score, on average."""

    feature: str = Field(description="Name of the feature.")
    effect: float = Field(description="Mean of the sizes of its effects, 0 or more, to 7 digits.")


class ExplanationSetSizes(Contract):
    """Sizes of the explanations in bytes."""

    json_lines: int = Field(description="Size of the JSON lines, in bytes.")
    json_lines_compressed: int = Field(description="Size of the JSON lines compressed by zstd, in bytes.")
    parquet: int = Field(description="Size of the Parquet file, in bytes.")


class ExplanationSetResult(Contract):
    """Statistics of all rows together; the explanations themselves are in `/content`."""

    model: str = Field(description="Id of the model.")
    n_rows: RowsOfDataset
    n_explained: int = Field(description="Number of rows that were explained.")
    n_abstained: int = Field(
        default=0, description="Number of these from which the explainer abstained (see its `abstain_below`)."
    )
    n_refused: int = Field(description="Number of rows that the model does not accept; each has a `problem`.")
    n_unassigned: int = Field(description="Number of explained rows that share no leaf with any prototype.")
    agreement: float | None = Field(
        description="Share of the explained rows whose nearest prototype has the label that the model predicts or, "
        "where prototypes are of outcomes, the outcome that is decided, 0 to 1; null where there is neither, or "
        "where no row is explained."
    )
    labels: list[LabelCount] = Field(
        description="Predicted labels of the explained rows, in the order of the classes; empty for regression."
    )
    outcomes: list[OutcomeCount] = Field(
        default=[],
        description="Outcomes of the explained rows, in the order of the bands; empty where the model has no decision.",
    )
    typicality: list[LevelCount] = Field(
        description="Explained rows by level of typicality; empty where all rows of the dataset are prototypes."
    )
    warnings: list[WarningCount] = Field(
        default=[],
        description="Explained rows by code of their warnings, in alphabetical order, without codes that no row has.",
    )
    mean_proximity: float | None = Field(
        description="Mean proximity of the explained rows to their nearest prototypes, 0 to 1, where unassigned rows "
        "count as 0; null where no row is explained."
    )
    mean_absolute_effects: list[MeanEffect] = Field(
        default=[],
        description="Mean size of the effects of each feature that the explainer shows, over the explained rows that "
        "have effects, the largest first, without features that have none. All effects count, whichever are listed.",
    )
    effects_scale: Literal["probability", "log_odds", "value"] | None = Field(
        default=None, description="What these are in: the `scale` of the effects; null where no row has effects."
    )
    dictionary: DictionaryUsed = Field(
        description="The dictionary whose words the explanations have. Where it hid a feature since that they may "
        "show, `/content` is refused: request the set again, which makes another one in the present words."
    )
    n_bytes: ExplanationSetSizes = Field(description="Sizes of the downloads.")


class ExplanationSet(ArtefactView):
    """An explanation set, its status and, once it is ready, its result."""

    object: Annotated[Literal["explanation_set"], OBJECT] = "explanation_set"
    request: Annotated[ExplanationSetRequest, REQUEST]
    result: ExplanationSetResult | None = Field(default=None, description=RESULT)
