"""The view of a model: what it decides and how well, at a glance, with what each caution asks for beside it."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from leafspace_drawings import Form, ModelContext, ModelFigure, cautions_of, draw_model, renaming
from leafspace_drawings.overview import made_of

from schemas.approximation_trees import APPROXIMATION_TREES
from schemas.comparisons import COMPARISONS
from schemas.evaluations import EVALUATIONS
from schemas.models import MODELS
from schemas.noun import Noun
from schemas.prototype_sets import PROTOTYPE_SETS
from schemas.rule_sets import RULE_SETS

from ..app_context import AppContext
from .documents import (
    LINKS,
    MAX_DRAWN_BYTES,
    Json,
    Parameters,
    at,
    feature_usage,
    fitting_datasets,
    mean_effects,
    newest,
    newest_explainer,
    read,
    ready_artefacts,
    shown_dataset,
    size_of,
    to_json,
    view,
)
from .documents import ready as ready_document
from .forms import evaluations_of, forms_of_model
from .remedies import forms_of_cautions

_N_COMPARISONS = 3
_EXPLAINING = (PROTOTYPE_SETS, RULE_SETS, APPROXIMATION_TREES)


@view("models")
def model(context: AppContext, model_id: str, _parameters: Parameters) -> str:
    """Draw a model at a glance, and how far what explains it can be trusted."""
    document = to_json(context.models.get(model_id).view)
    made_by = {noun.name: newest(context, noun, model_id) for noun in _EXPLAINING}
    usage = feature_usage(context, document)
    made = ready_artefacts(context, model=model_id)
    fitting = fitting_datasets(context, document, made)
    explainer = _explainer_by(context, model_id, made_by[PROTOTYPE_SETS.name])
    evaluation = _evaluation(context, made[EVALUATIONS.name])
    measured = [] if evaluation is None else [ready_document(context, EVALUATIONS, evaluation["id"])]
    words = _words(context, made_by[PROTOTYPE_SETS.name], fitting)
    hidden = frozenset() if words is None else context.dictionaries.get(words["id"]).hidden
    known = ModelContext(
        prototype_sets=made_by[PROTOTYPE_SETS.name],
        rule_sets=made_by[RULE_SETS.name],
        approximation_trees=made_by[APPROXIMATION_TREES.name],
        feature_usage=[each for each in usage or [] if each["feature"] not in hidden],
        made=made_of(made, LINKS),
        columns=words,
        links=LINKS,
        explainer=explainer,
        effects=None if explainer is None else mean_effects(context, explainer),
        comparisons=_comparisons(context, made[COMPARISONS.name]),
        evaluation=next(iter(measured), None),
        evaluate=next(iter(evaluations_of(document, fitting)), None),
        remedies=_remedies(made_by | {EVALUATIONS.name: measured}, fitting),
        requests=forms_of_model(context, document, fitting, has_leaves=usage is not None),
        renaming=renaming(document, "models"),
    )
    way: list[tuple[str, str | None]] = [(document["name"] or model_id, None)]
    return at(draw_model(document, known), way, read(MODELS, model_id))


def figure_of(context: AppContext, model_id: str, made: dict[str, list[Json]]) -> ModelFigure | None:
    """Return how well a model predicts and how many cautions limit that; None where it was not measured.

    ``made`` has its ready artefacts by noun, the newest first, without results. What is found is kept by their ids.
    """
    evaluations = made[EVALUATIONS.name]
    explaining = [(noun, each) for noun in _EXPLAINING for each in made[noun.name][:1]]

    def as_text(_document: Json, _shown: None) -> str:
        evaluation = _evaluation(context, evaluations)
        chosen = [] if evaluation is None else [(EVALUATIONS, evaluation)]
        return json.dumps(_measured(context, [*chosen, *explaining]))

    made_from = {"figure_of": model_id, "by": [each["id"] for each in [*evaluations, *(one for _, one in explaining)]]}
    found = json.loads(context.drawings.get(as_text, made_from, None))
    return None if found is None else ModelFigure(**found)


def _measured(context: AppContext, made: Sequence[tuple[Noun[Any], Json]]) -> Json | None:
    """Return the figure of an evaluation or, without one, of prototypes, as JSON; too large results have none."""
    small = [(noun, each["id"]) for noun, each in made if size_of(context, noun, each["id"]) <= MAX_DRAWN_BYTES]
    documents = {noun.name: ready_document(context, noun, artefact_id) for noun, artefact_id in small}
    evaluation, prototypes = documents.pop(EVALUATIONS.name, None), documents.get(PROTOTYPE_SETS.name)
    cautions = cautions_of([*documents.values(), *([] if evaluation is None else [evaluation])])
    figure = None
    if evaluation is not None:
        figure = ModelFigure.of_evaluation(evaluation["result"])
    elif prototypes is not None:
        figure = ModelFigure.of_prototypes(prototypes["result"])
    return None if figure is None else asdict(replace(figure, n_cautions=len(cautions)))


def _explainer_by(context: AppContext, model_id: str, prototype_sets: Sequence[Json]) -> str | None:
    """Return the newest explainer by the newest prototypes or, without one, the newest if it explains the same rows."""
    if not prototype_sets:
        return None
    found = newest_explainer(context, prototype_set=prototype_sets[0]["id"])
    other = found or newest_explainer(context, model=model_id)
    if other is None or found is not None:
        return found
    explained = context.artefacts.get(PROTOTYPE_SETS.name, context.explainers.get(other).prototype_set).dataset
    return other if explained == prototype_sets[0]["request"]["dataset"] else None


def _words(context: AppContext, prototype_sets: Sequence[Json], fitting: Sequence[Json]) -> Json | None:
    """Return the dataset in whose words a model is described: that of its prototypes, or else one with titles."""
    if prototype_sets:
        return shown_dataset(context, prototype_sets[0]["request"]["dataset"])
    titled = (each for each in fitting if any(column.get("title") for column in each["columns"]))
    found = next(titled, fitting[0] if fitting else None)
    return None if found is None else shown_dataset(context, found["id"])


def _comparisons(context: AppContext, made: Sequence[Json]) -> list[tuple[str, Json]]:
    """Return the newest comparisons of a model, each with the name of what it is compared with."""
    sizes = [(each, size_of(context, COMPARISONS, each["id"])) for each in made[:_N_COMPARISONS]]
    documents = [ready_document(context, COMPARISONS, each["id"]) for each, size in sizes if size <= MAX_DRAWN_BYTES]
    return [(_name_of_other(context, each["request"]), each) for each in documents]


def _evaluation(context: AppContext, made: Sequence[Json]) -> Json | None:
    """Return the newest evaluation on rows that are held out from training, or else the newest, without its result.

    Those whose results are too large to be drawn are left out.
    """
    datasets = {each["request"]["dataset"] for each in made}
    held_out = {each for each in datasets if context.datasets.get(each).view.held_out}
    ordered = sorted(made, key=lambda each: each["request"]["dataset"] not in held_out)
    return next((each for each in ordered if size_of(context, EVALUATIONS, each["id"]) <= MAX_DRAWN_BYTES), None)


def _name_of_other(context: AppContext, request: Json) -> str:
    """Return the name of the other model or dataset; its id where it is gone."""
    store: Any = context.models if request["other_model"] else context.datasets
    other: str = request["other_model"] or request["other_dataset"]
    return store.summary(other).name or other


def _remedies(made_by: dict[str, list[Json]], fitting: Sequence[Json]) -> dict[str, dict[str, Form]]:
    """Return the forms of what cautions ask for, by the id of what they are about and by step."""
    nouns: dict[str, Noun[Any]] = {noun.name: noun for noun in (*_EXPLAINING, EVALUATIONS)}
    return {
        document["id"]: forms_of_cautions(nouns[name], document, fitting)
        for name, documents in made_by.items()
        for document in documents
    }
