"""What a tree is grown from and judged on: raw rows with all of the model's features, and what it says of them."""

from dataclasses import dataclass

from schemas.approximation_trees import ApproximationTreeRequest
from storage.dataset_files import DatasetFile
from storage.models import ModelStore
from storage.object_store import ObjectStore
from tree_explainers.approximation_trees.fidelity import ModelPredictions
from tree_explainers.approximation_trees.oracle import oracle_scores
from tree_explainers.onnx_models.session import Predictions
from tree_explainers.rows import Rows
from tree_explainers.rule_sets.targets import Targets

from ...runtime.context import JobContext
from ...runtime.progress import part_of
from ..inputs import OpenModel, SeenDataset, open_model, see_dataset
from ..row_targets import predicted_targets, true_targets
from .stages import READING, READING_FOR_EVALUATION


@dataclass(frozen=True, slots=True)
class JudgedRows:
    """A dataset's rows, with what the model says of them and what is true of them."""

    rows: Rows  # by the model's names of its features
    answers: ModelPredictions
    truth: Targets | None  # None without a target


@dataclass(frozen=True, slots=True)
class Material:
    """All that an approximation tree is made of."""

    model: OpenModel
    training: JudgedRows
    evaluation: JudgedRows | None  # other rows to judge on

    @property
    def missing_texts(self) -> dict[str, str]:
        """By feature: a text that stands for a missing category."""
        description = self.model.description
        pairs = zip(description.feature_names, description.missing_tokens, strict=True)
        return {name: token for name, token in pairs if token is not None}


def gather(context: JobContext, request: ApproximationTreeRequest) -> Material:
    """Open the model, and have it look at the datasets.

    Raises
    ------
    StorageError
        ``schema_mismatch`` for a target that does not fit the model.
    """
    model = open_model(ModelStore(context.database), context.objects, request.model)
    training = see_dataset(context, model, request.dataset, part_of(context.report, *READING))
    judged = _judged(context.objects, model, training)
    if request.evaluation_dataset is None:
        return Material(model, judged, None)
    report = part_of(context.report, *READING_FOR_EVALUATION)
    evaluation = see_dataset(context, model, request.evaluation_dataset, report)
    return Material(model, judged, _judged(context.objects, model, evaluation))


def _judged(objects: ObjectStore, model: OpenModel, seen: SeenDataset) -> JudgedRows:
    with DatasetFile(objects.path(seen.stored.content)) as file:
        columns = file.read_columns(seen.columns)
    scores = oracle_scores(Predictions(seen.scores, seen.labels), model.description)
    said = ModelPredictions(scores, predicted_targets(model, seen))
    return JudgedRows(Rows(model.description.feature_names, tuple(columns)), said, true_targets(objects, model, seen))
