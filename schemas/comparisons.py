"""Comparisons: two models on the same rows, or one model on two sets of rows (drift)."""

from typing import Annotated, Literal

from pydantic import Field

from .artefacts import REQUEST, RESULT, ArtefactView, ReferenceDataset, RequestedModel
from .cautions import CAUTIONS, Caution
from .contract import OBJECT, Contract, Identifier, RowId, RowIndex
from .noun import JSON, Noun, Product
from .paper_settings import MethodRequest
from .reports import ShareComparison, ShareInterval
from .rule_sets import Condition

N_ROWS_SHOWN = 20
N_NEIGHBORS = 10
MAX_SAMPLED_ROWS = 20_000


class ComparisonRequest(MethodRequest):
    """What is compared: with `other_model` two models on the rows of `dataset`, with `other_dataset` two datasets."""

    model: RequestedModel
    dataset: ReferenceDataset
    other_model: Identifier | None = Field(
        default=None,
        description="Id of the model that is compared with `model`, of the same task, such as the one that is to "
        "replace it. It may read other features: `dataset` has those of both. Null with `other_dataset`.",
    )
    other_dataset: Identifier | None = Field(
        default=None,
        description="Id of the dataset that is compared with `dataset` by `model`, such as newer rows. Null with "
        "`other_model`.",
    )
    max_regions: int = Field(
        default=5,
        ge=1,
        le=10,
        strict=True,
        description="Maximum number of rules that say where two models differ, 1 to 10; of two datasets none are made.",
    )
    seed: int = Field(
        default=0,
        ge=0,
        le=2**31 - 1,
        strict=True,
        description="Seed that draws the rows of which more than predictions is compared.",
    )


class OutcomeChange(Contract):
    """Rows that have one outcome by the first model and another by the other."""

    outcome: str = Field(description="Outcome by `model`.")
    other_outcome: str = Field(description="Outcome by `other_model`.")
    n_rows: int = Field(description="Number of such rows.")


class ChangedRow(Contract):
    """A row with what both models predict."""

    row: RowIndex
    row_id: RowId
    outcome: str | None = Field(description="Outcome by `model`; null where values are compared.")
    other_outcome: str | None = Field(description="Outcome by `other_model`; null where values are compared.")
    value: float | None = Field(description="Value that `model` predicts; null where outcomes are compared.")
    other_value: float | None = Field(description="Value that `other_model` predicts; null likewise.")
    difference: float | None = Field(
        description="How far the predictions are apart, 0 or more: the absolute difference of values, or the largest "
        "difference of a score of an outcome; null where the scores of the two models are of different kinds."
    )


class ChangedPrototype(ChangedRow):
    """A row that represents others that changed."""

    represents: float = Field(
        description="Share of the changed rows that were looked at whose nearest prototype this is, 0 to 1."
    )


class ChangedRegion(Contract):
    """A rule: rows that changed more than others. Figures are of rows that the search for rules did not see."""

    rank: int = Field(description="1-based rank: the first gathers most change.")
    text: str = Field(
        description="Conditions as an English phrase, such as `income is above 1,200 and at most 3,400`. The rule is "
        "about the rows for which they hold and no rule before does."
    )
    conditions: list[Condition] = Field(description="Conditions that hold together; one or more.")
    n_rows: int = Field(description="Number of rows that it is about, of `n_rows_checked`.")
    changed: float = Field(
        description="Share of these that have another outcome, 0 to 1; of values their mean absolute difference."
    )
    interval: ShareInterval = Field(
        description="95 % interval of `changed`: Wilson's of a share, by the normal distribution of a mean."
    )
    share_of_change: float = Field(
        description="Share of all change that is here, 0 to 1: of the changed rows, or of the sum of the differences."
    )


class NeighborAgreement(Contract):
    """How far both models agree on which rows are alike."""

    n_neighbors: int = Field(description="Number of nearest rows that are compared.")
    n_rows: int = Field(description="Number of rows whose nearest are compared.")
    share: float = Field(description="Mean share of the nearest rows that both models have in common, 0 to 1.")
    by_chance: float = Field(description="The same share of the nearest rows of two different rows, 0 to 1.")


class EffectChange(Contract):
    """The effects of a feature on the score, by two models or on two sets of rows."""

    feature: str = Field(description="Name of the dataset's column, or of a column that the model makes of several.")
    mean_effect: float = Field(
        description="Of two models: mean absolute effect by `model`. Of two datasets: mean effect on the rows of "
        "`dataset`."
    )
    other_mean_effect: float = Field(description="The same by `other_model`, or on the rows of `other_dataset`.")
    moved: float = Field(
        description="What features are listed by. Of two models: mean absolute difference of a row's effects, or, "
        "where the models' effects have different scales, the difference of the feature's shares of all mean absolute "
        "effects. Of two datasets: mean distance by which the effects of one have to move to be those of the other "
        "(Wasserstein)."
    )
    distance: float | None = Field(
        description="Kolmogorov-Smirnov distance of the effects on the two sets of rows, 0 to 1; null of two models."
    )
    p_value: float | None = Field(
        description="Probability of such a distance by chance, adjusted for all distances of the result (Holm); null "
        "of two models."
    )


class ModelChange(Contract):
    """Two models on the same rows."""

    compared_by: Literal["outcomes", "values"] = Field(
        description="`outcomes`: what is decided, where both models declare decisions, or else the predicted class. "
        "`values`: of regressions without decisions."
    )
    n_changed: int | None = Field(description="Number of rows with another outcome; null where values are compared.")
    share_changed: float | None = Field(description="Their share, 0 to 1; null likewise.")
    interval: ShareInterval | None = Field(
        description="95 % interval of that share (Wilson, 1927), for rows drawn independently; null likewise."
    )
    changes: list[OutcomeChange] = Field(
        description="Changed rows by both outcomes, the most frequent pair first, at most 20."
    )
    mean_difference: float | None = Field(
        description="Mean of the other model's value less that of `model`; null where outcomes are compared."
    )
    mean_absolute_difference: float | None = Field(description="Mean absolute difference of the values; null likewise.")
    n_rows_checked: int = Field(description="Number of rows on which rules were checked, and not searched.")
    regions: list[ChangedRegion] = Field(
        description="Where rows changed more than elsewhere, as rules; empty where nothing says where."
    )
    prototypes: list[ChangedPrototype] = Field(
        description="Rows that represent the changed ones in the space of `model`, at most 5; where values are "
        "compared, for the tenth of the rows that changed most."
    )
    neighbors: NeighborAgreement | None = Field(
        description="Agreement on the nearest rows; null where fewer than two rows have neighbours in both models."
    )
    rows: list[ChangedRow] = Field(
        description=f"The rows that changed most, at most {N_ROWS_SHOWN}: with another outcome, by `difference`."
    )


class SampleDistance(Contract):
    """How far two distributions are apart."""

    distance: float = Field(description="Kolmogorov-Smirnov distance, 0 to 1.")
    p_value: float = Field(
        description="Probability of such a distance by chance, adjusted for all distances of the result (Holm, 1979)."
    )
    detectable_distance: float = Field(
        description="Distance that would be found in four of five cases with as many rows and distances; smaller ones "
        "may go unseen."
    )


class TypicalityDrift(SampleDistance):
    """Proximity of rows to the nearest row of `dataset`, another than themselves."""

    median: float = Field(description="Median proximity of the rows of `dataset`, 0 to 1.")
    other_median: float = Field(description="Median proximity of the rows of `other_dataset`, 0 to 1.")
    unreachable: ShareComparison = Field(
        description="Share of rows that share no leaf that counts with any row of `dataset`: `share` of "
        "`other_dataset`, `reference_share` of `dataset`."
    )


class OutcomeDrift(Contract):
    """How frequent an outcome is among the rows of both datasets."""

    outcome: str = Field(description="Outcome that is decided, or class that is predicted.")
    rows: ShareComparison = Field(description="`share` of the rows of `other_dataset`, `reference_share` of `dataset`.")


class DatasetDrift(Contract):
    """One model on two sets of rows."""

    conclusion: Literal["differs", "no_difference_seen", "too_few_rows"] = Field(
        description="`differs`: by more than chance would explain, at 95 % for all that is compared. "
        "`no_difference_seen`: none was, which does not show that there is none. `too_few_rows`: either side has fewer "
        "rows than `min_rows`; nothing is concluded."
    )
    min_rows: int = Field(description="Number of rows of each dataset below which nothing is concluded.")
    n_sampled: int = Field(description="Number of rows of `dataset` whose typicality is compared.")
    n_other_sampled: int = Field(description="Number of rows of `other_dataset` whose typicality is compared.")
    typicality: TypicalityDrift = Field(description="Proximity to the nearest reference row.")
    outcomes: list[OutcomeDrift] = Field(description="Outcomes in the model's order; empty of a plain regression.")
    values: SampleDistance | None = Field(description="Predicted values of a plain regression; null otherwise.")
    features_moved: list[str] = Field(
        description="Features whose effects differ by more than chance would explain, those that moved most first."
    )


class ComparisonResult(Contract):
    """Where two models, or two sets of rows, differ."""

    summary: str = Field(description="What was found, in words.")
    n_rows: int = Field(description="Number of rows of `dataset`.")
    n_other_rows: int | None = Field(description="Number of rows of `other_dataset`; null of two models.")
    models: ModelChange | None = Field(description="The two models; null where datasets are compared.")
    datasets: DatasetDrift | None = Field(description="The two datasets; null where models are compared.")
    effects: list[EffectChange] = Field(
        description="Effects that moved, the largest move first, at most 20, each against the mean of the same rows of "
        "`dataset`. Of two models: features that have any. Of two datasets: those that have 1 % or more of all mean "
        "absolute effects on either."
    )
    effects_scale: Literal["probability", "log_odds", "value", "share"] | None = Field(
        description="What effects are in; `share`: of all mean absolute effects, where the two models have different "
        "scales; null without effects."
    )
    cautions: list[Caution] = Field(description=CAUTIONS)


class Comparison(ArtefactView):
    """A comparison, its status and, once it is ready, its result."""

    object: Annotated[Literal["comparison"], OBJECT] = "comparison"
    request: Annotated[ComparisonRequest, REQUEST]
    result: ComparisonResult | None = Field(default=None, description=RESULT)


COMPARISONS = Noun(
    name="comparisons",
    singular="comparison",
    position=155,
    id_prefix="cmp_",
    description="Where two models differ on the same rows, or how two sets of rows differ by the same model (drift).",
    making="by_job",
    made_from={
        "model": "models",
        "dataset": "datasets",
        "other_model": "models",
        "other_dataset": "datasets",
    },
    request=ComparisonRequest,
    summary=Comparison,
    view=Comparison,
    result=ComparisonResult,
    products=(Product(name="content", media_types=(JSON,)),),
)
