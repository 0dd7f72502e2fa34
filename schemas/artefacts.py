"""Artefacts: what is the same for everything that a job makes."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError
from typing_extensions import TypeAliasType

from .contract import NUMBER, WORD, WORD_OR_NUMBER, Contract, CreatedAt, Identifier
from .problems import Problem

TreeWeighting = Literal["random_forest", "boosting", "boosting_sd", "boosting_l1"]
ProximityKind = Literal["auto", TreeWeighting]
KindOrDistance = Literal[TreeWeighting, "euclidean"]
RowKind = Literal["gap", "oob", "kernel", "graded"]
"""Kinds for which it matters which rows share a leaf, and how many: no sums of weights of trees."""
_KINDS = (
    "How trees are weighted in proximities. `random_forest`: all alike (Tan et al., equation 1); "
    "`boosting`: by their contribution to the scores, its variance over the rows (Tan et al., definition 3); "
    "`boosting_sd`: by its standard deviation, the variance's square root, and `boosting_l1`: by its mean absolute "
    "deviation, both of which leave more weight to small trees; `auto`: by "
    "the model's `ensemble`, and `random_forest` where that is `other` or unknown (votes, AdaBoost, calibrated "
    "models)."
)
_NO_TREE_WEIGHTS: dict[str, str] = {
    "gap": "it is not symmetric",
    "oob": "it divides by another number of trees for each pair of rows",
    "kernel": "it weighs each leaf by its rows",
    "graded": "it looks at the nodes above the leaves",
}


def _refuse_row_kinds(requested: Any) -> Any:  # whatever was sent
    """Say why a kind of proximities cannot be used where each tree has a weight."""
    if reason := _NO_TREE_WEIGHTS.get(requested) if isinstance(requested, str) else None:
        message = (
            "proximity_kind is {kind}, which names the nearest rows in proximities alone, since here each tree has one "
            "weight and {reason}; take auto, or request proximities"
        )
        raise PydanticCustomError("proximity_kind", message, {"kind": requested, "reason": reason})
    return requested


_OfTrees = BeforeValidator(_refuse_row_kinds)
RequestedKind = Annotated[ProximityKind, _OfTrees, Field(description=_KINDS)]
UsedKind = Annotated[TreeWeighting, Field(description="How trees were weighted in the proximities.")]
_KINDS_AND_DISTANCE = (
    f"{_KINDS} `euclidean`: no trees at all, as a baseline; 1 - distance / sqrt(number of features), where numbers "
    "differ by their ranks among the reference rows, 0 to 1, and categories, truth values and missing values by 0 or 1 "
    "(Tan et al., table 1)."
)
RequestedKindOrDistance = Annotated[
    Literal[ProximityKind, "euclidean"], _OfTrees, Field(description=_KINDS_AND_DISTANCE)
]
RequestedKindOfNeighbors = Annotated[
    Literal[ProximityKind, "euclidean", RowKind],
    Field(
        description=f"{_KINDS_AND_DISTANCE} `kernel`: each tree's weight is shared among the rows of the leaf, so that "
        "all rows' proximities to a row add up to 1 and those in small leaves are nearer. `graded`: by how far two "
        "rows go together in each tree, twice the depth of the lowest node above both by the sum of the depths of "
        "their leaves, instead of all or nothing. Of forests whose `bags` are known, and their training rows in order: "
        "`gap`, the share that a row has in the forest's prediction for the other, over the trees that did not learn "
        "from this (Rhodes et al., 2023; not symmetric); `oob`, the share of the trees that learned from neither row "
        "in which both have the same leaf."
    ),
]
UsedKindOrDistance = Annotated[
    KindOrDistance,
    Field(description="How trees were weighted in the proximities; `euclidean`: rows were compared by plain distance."),
]
UsedKindOfNeighbors = Annotated[
    Literal[KindOrDistance, RowKind],
    Field(
        description="How trees were weighted in the proximities; `euclidean`: rows were compared by plain distance; "
        "`gap`, `oob`, `kernel`: by what rows count in the leaves; `graded`: by how far they go together in trees."
    ),
]
LeafRows = Annotated[
    int,
    Field(
        strict=True,
        ge=1,
        le=2**31 - 1,
        description="Fewest reference rows of a leaf: a tree is cut back where a split leaves fewer on either side, "
        "and rows are compared by the coarser leaves. 1: the trees' own leaves, as in the papers. Predictions never "
        "depend on it.",
    ),
]
LeafRowsOrAuto = TypeAliasType(
    "LeafRowsOrAuto",
    Annotated[Annotated[LeafRows, NUMBER] | Annotated[Literal["auto"], WORD], WORD_OR_NUMBER],
)
"""The fewest reference rows of a leaf, or ``auto``: it is found."""
UsedLeafRows = Annotated[
    int,
    Field(
        description="The `min_leaf_rows` that was used: trees were cut back where a split left fewer reference rows on "
        "either side; 1: they were not cut."
    ),
]
UsedLeafRowsOrNull = Annotated[
    int | None,
    Field(
        description="The `min_leaf_rows` that was used: trees were cut back where a split left fewer reference rows on "
        "either side; 1: they were not cut. Null with `euclidean`, which knows no leaves."
    ),
]
TreesUsed = Annotated[
    int | None,
    Field(
        description="Number of trees that count in proximities: those cut back to a single leaf do not, nor do those "
        "of boosting whose values do not vary. Null by plain distance (`euclidean`)."
    ),
]


class SearchedRows(Contract):
    """The reference rows that `nearest_rows` and `evidence` search, in which leaves, and the memory that this takes."""

    n_rows: int = Field(description="Number of rows.")
    min_leaf_rows: UsedLeafRows
    proximity_kind: UsedKind
    mapped_bytes: int = Field(
        description="Size of the file that is mapped, in bytes: the parts in use are in memory while there is room."
    )
    held_bytes: int = Field(
        description="Memory that is held beside it in each process that answers, in bytes at most: sums of a search, "
        "and the groups of rows by a few columns."
    )


SEARCHED_ROWS = (
    "Reference rows that `nearest_rows` and `evidence` search; null where none are kept: for more than 250,000,000 "
    "rows x (trees + features), and with `euclidean`."
)
RequestedModel = Annotated[Identifier, Field(description="Id of the model.")]
ReferenceDataset = Annotated[
    Identifier, Field(description="Id of the reference dataset, which has every feature that the model reads.")
]
EVALUATION_DATASET = Field(
    description="Id of a dataset on which the result is evaluated instead of the reference dataset; null: on the "
    "reference dataset itself."
)
EvaluationRows = Annotated[
    Literal["dataset", "evaluation_dataset"],
    Field(description="Rows that were used: those of the reference dataset, or of `evaluation_dataset`."),
]
ComparedWith = Annotated[
    Literal["target", "model"],
    Field(description="Reference of accuracies and errors: the dataset's target, or the model where it has none."),
]
ArtefactStatus = Literal["pending", "ready", "failed", "cancelled"]
MAX_NEIGHBORS = 1000
NeighborCount = Annotated[
    int,
    Field(
        strict=True,
        ge=1,
        le=MAX_NEIGHBORS,
        description="Number of nearest rows of each row; less than the number of rows of the dataset.",
    ),
]

RunOn = Annotated[
    Literal["auto", "local", "cluster"],
    Field(
        description="Where the job works on the rows: `local`, in the worker's own process; `cluster`, on the workers "
        "of a Dask cluster (LEAFSPACE_DASK_SCHEDULER); `auto`: on the cluster where one process "
        "would need more memory than a job may use, and else locally. The result is the same, and so is the "
        "id: answers always show `auto`."
    ),
]
"""Where a job is to run; no part of what is requested."""

REQUEST = Field(description="The request, with all defaults filled in.")
RESULT = "Result of the job; null until the status is `ready`, and in lists."


class ArtefactView(Contract):
    """An artefact and its status; each noun adds its `result`."""

    object: str = Field(description="Type of this object.")
    id: str = Field(description="Id of the artefact, derived from its request: equal requests have equal ids.")
    status: ArtefactStatus = Field(
        description="`pending` while its job is queued or running; `ready` with a result; `failed` with a `problem`; "
        "`cancelled` if a caller cancelled the job."
    )
    job: str | None = Field(description="Id of the job that makes or made it; null if that job is no longer kept.")
    reused: bool = Field(
        default=False, description="Whether this request found an artefact that had been requested before."
    )
    created_at: CreatedAt
    request: Annotated[Contract, REQUEST]
    problem: Problem | None = Field(default=None, description="Why the job failed; null unless it did.")


class ConstantPrediction(Contract):
    """The best constant predictions: scores of a result mean little unless they are better than these.

    Each measure is that of the constant which is best at it on the same rows.
    """

    prediction: float | str = Field(
        description="Constant to which all measures but fidelities belong: the most frequent class of the rows (ties: "
        "the first of the classes), or the mean value for regression. It is taken from the reference that "
        "`measured_against` names."
    )
    model_prediction: float | str = Field(
        description="Constant to which fidelities belong: the label that the model predicts most often, or the mean of "
        "its values for regression."
    )
