"""Predict rows: what the model says, and on which leaves it lands."""

from explanations.documents import decimals
from explanations.instances import Features, read_instances, row_ids_of, run_readable
from schemas.models import Model, Prediction, PredictionList, PredictionRequest, PredictionRow, Score
from schemas.problems import problem_for
from tree_explainers.errors import RowRefused
from tree_explainers.onnx_models.label_index import near_ties
from tree_explainers.onnx_models.session import Outcome

from ..app_context import AppContext


def predict(context: AppContext, model_id: str, request: PredictionRequest) -> PredictionList:
    """Return the predictions for the instances, in their order.

    Raises
    ------
    StorageError
        ``too_many_rows``, or ``validation_failed`` where ``row_ids`` are not one for each instance or not distinct.
    """
    names = row_ids_of(request.row_ids, len(request.instances))
    model = context.models.get(model_id).view
    read = read_instances(request.instances, Features.of(model))
    session = context.sessions.get(model_id)
    outcome, positions, refused = run_readable(session, read)
    are_near = near_ties(outcome.scores, session.description.rounding).tolist()
    answers = {
        position: _answered(names[position], prediction_of(model, outcome, index, near_tie=are_near[index]))
        for index, position in enumerate(positions)
    }
    answers |= {position: _refused(names[position], error) for position, error in refused.items()}
    if "leaves" in request.include:
        for index, position in enumerate(positions):
            leaves = outcome.leaves[index].tolist()
            answers[position] = answers[position].model_copy(update={"leaves": leaves})
    return PredictionList(model=model_id, data=[answers[position] for position in range(len(request.instances))])


def prediction_of(model: Model, outcome: Outcome, row: int, *, near_tie: bool) -> Prediction:
    """Return one row's prediction."""
    scores = decimals(outcome.scores[row])
    if outcome.labels is None:
        return Prediction(task="regression", label=None, value=scores[0], scores=[])
    label = model.classes[outcome.labels[row]]
    return Prediction(
        task="classification",
        label=label,
        value=None,
        scores=list(map(_score, model.classes, scores)),
        near_tie=near_tie,
    )


def _score(label: str, value: float) -> Score:
    return Score(label=label, value=value)


def _answered(row_id: str, prediction: Prediction) -> PredictionRow:
    return PredictionRow(row_id=row_id, status="ok", prediction=prediction)


def _refused(row_id: str, error: RowRefused) -> PredictionRow:
    return PredictionRow(row_id=row_id, status="error", problem=problem_for(error.code, error.detail))
