"""Views of the page: each gathers what the API's own operations answer, and draws it.

A view shows nothing that the contract does not give. What is gathered is bounded: lists have one page, and an artefact
whose result is larger than ``_MAX_DRAWN_BYTES`` is not drawn but named.
"""

import json
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self

from leafspace_drawings import (
    AuditContext,
    Here,
    Links,
    ModelContext,
    RulesContext,
    SetContext,
    TreeContext,
    WhyContext,
    draw_approximation_tree,
    draw_explanation,
    draw_jobs,
    draw_label_audit,
    draw_model,
    draw_overview,
    draw_prototype_set,
    draw_rule_set,
)
from pydantic import BaseModel

from schemas.explanations import ExplanationRequest
from schemas.next_questions import NextQuestionRequest
from schemas.nouns import APPROXIMATION_TREES, LABEL_AUDITS, PROTOTYPE_SETS, RULE_SETS, Noun
from storage.dataset_files import DatasetFile
from storage.errors import NotFound, StorageError

from ..app_context import AppContext
from . import artefacts, datasets, explainers, jobs, models
from .approximation_trees import next_question

_LINKS = Links("")
_LISTED, _LISTED_ARTEFACTS = 50, 200
_MAX_DRAWN_BYTES = 2 << 20
_PARTS: tuple[Any, ...] = ("values", "intervals", "contrast", "rules", "approximation_path")
Json = dict[str, Any]


def overview(context: AppContext) -> str:
    """Draw what is here, and what is being made."""
    nouns: tuple[Noun[Any], ...] = (PROTOTYPE_SETS, RULE_SETS, APPROXIMATION_TREES, LABEL_AUDITS)
    made = {
        noun.name: _documents(artefacts.list_all(context, noun, _LISTED_ARTEFACTS, None, status="ready").data)
        for noun in nouns
    }
    return draw_overview(
        Here(
            models=_documents(models.list_models(context, _LISTED, None).data),
            datasets=_documents(datasets.list_datasets(context, _LISTED, None).data),
            jobs=_documents(jobs.list_jobs(context, _LISTED, None).data),
            artefacts=made,
            explainers=_documents(explainers.list_explainers(context, _LISTED_ARTEFACTS, None).data),
            links=_LINKS,
        )
    )


def jobs_under_way(context: AppContext) -> str:
    """Draw jobs alone."""
    return draw_jobs(_documents(jobs.list_jobs(context, _LISTED, None).data))


def model(context: AppContext, model_id: str) -> str:
    """Draw a model and how far what explains it can be trusted."""
    document = _document(models.get_model(context, model_id))
    made = [_newest(context, noun, model_id) for noun in (PROTOTYPE_SETS, RULE_SETS, APPROXIMATION_TREES)]
    return draw_model(document, ModelContext(made[0], made[1], made[2], links=_LINKS))


def prototype_set(context: AppContext, artefact_id: str) -> str:
    """Draw a prototype set."""
    document = _ready(context, PROTOTYPE_SETS, artefact_id)
    return draw_prototype_set(document, SetContext(*_beside(context, document), links=_LINKS))


def rule_set(context: AppContext, artefact_id: str) -> str:
    """Draw a rule set."""
    document = _ready(context, RULE_SETS, artefact_id)
    return draw_rule_set(document, RulesContext(*_beside(context, document), links=_LINKS))


def approximation_tree(context: AppContext, artefact_id: str) -> str:
    """Draw a tree."""
    document = _ready(context, APPROXIMATION_TREES, artefact_id)
    return draw_approximation_tree(document, TreeContext(*_beside(context, document), links=_LINKS))


def questionnaire(context: AppContext, artefact_id: str, answered: Mapping[str, str]) -> str:
    """Draw a tree, and the question that comes after the answers so far."""
    document = _ready(context, APPROXIMATION_TREES, artefact_id)
    known, dataset = _beside(context, document)
    types = dict(zip(known["feature_names"], known["feature_types"], strict=True))
    answers = {name: _value(text, types.get(name, "number")) for name, text in answered.items()}
    question = next_question(context, artefact_id, NextQuestionRequest(answers=answers))
    return draw_approximation_tree(document, TreeContext(known, dataset, _document(question), answers, _LINKS))


def label_audit(context: AppContext, artefact_id: str) -> str:
    """Draw the most suspect rows of a label audit."""
    document = _ready(context, LABEL_AUDITS, artefact_id)
    return draw_label_audit(document, AuditContext(*_beside(context, document), links=_LINKS))


@dataclass(frozen=True, slots=True)
class RowToExplain:
    """A row of an explainer's reference dataset, with values that are changed, and what is drawn beside it."""

    row_id: str
    request: ExplanationRequest
    before: Json  # the former values of what is changed
    dataset: Json
    prototype_set: Json

    @classmethod
    def find(cls, context: AppContext, explainer_id: str, row_id: str, changed: Mapping[str, str]) -> Self:
        """Read what an explanation and its drawing need."""
        explainer = explainers.get_explainer(context, explainer_id)
        prototypes = _ready(context, PROTOTYPE_SETS, explainer.prototype_set)
        known = _document(models.get_model(context, explainer.model))
        dataset = _document(datasets.get_dataset(context, prototypes["request"]["dataset"]))
        request, before = _request_for(context, known, dataset, row_id, changed)
        return cls(row_id, request, before, dataset, prototypes)

    def draw(self, answer: bytes, chosen: int) -> str:
        """Draw why the row is predicted as it is, from the API's answer to the request."""
        found = json.loads(answer)
        drawn = WhyContext(
            dataset=self.dataset,
            prototype_set=self.prototype_set,
            provenance=found["provenance"],
            links=_LINKS,
            chosen=chosen,
            is_editable=True,
            changed=self.before,
        )
        return draw_explanation(found["data"][0] | {"row_id": self.row_id}, drawn)


def _request_for(
    context: AppContext, known: Json, dataset: Json, row_id: str, changed: Mapping[str, str]
) -> tuple[ExplanationRequest, Json]:
    """Return the request, and the former values of what is changed."""
    if not changed:
        return ExplanationRequest(dataset=dataset["id"], row_ids=[row_id], include=_PARTS, detail="full"), {}
    row = _row(context, dataset["id"], row_id)
    types = dict(zip(known["feature_names"], known["feature_types"], strict=True))
    if unknown := [name for name in changed if name not in types]:
        raise StorageError("unknown_feature", f"the model has no feature {unknown[0][:80]!r}", f"/{unknown[0][:80]}")
    now = row | {name: _value(text, types[name]) for name, text in changed.items()}
    instance = [now.get(name) for name in types]
    before = {name: row.get(name) for name in changed if row.get(name) != now[name]}
    return ExplanationRequest(instances=[instance], include=_PARTS, detail="full"), before


def _value(text: str, kind: str) -> float | bool | str | None:
    """Return what a field of the page says; an empty one is missing."""
    if not text:
        return None
    if kind == "boolean":
        return text.lower() in {"yes", "true", "1"}
    if kind != "number":
        return text
    with suppress(ValueError):
        value = float(text.replace(",", ""))
        if math.isfinite(value):
            return value
    raise StorageError("validation_failed", f"{text[:80]!r} is not a finite number; write one, such as 12.5")


def _row(context: AppContext, dataset_id: str, row_id: str) -> Json:
    """Return a row's values by column."""
    with DatasetFile(context.objects.path_of_pages(context.datasets.get(dataset_id).content)) as file:
        found = file.find_rows([row_id])
        if row_id not in found:
            raise NotFound("row", row_id[:80], f"dataset {dataset_id!r} has other rows")
        row = found[row_id]
    page = b"".join(datasets.list_rows(context, dataset_id, (), 1, str(row)))
    return {cell["name"]: cell["value"] for cell in json.loads(page)["data"][0]["values"]}


def _beside(context: AppContext, document: Json) -> tuple[Json, Json]:
    """Return the model and the dataset of an artefact."""
    request = document["request"]
    dataset = _document(datasets.get_dataset(context, request["dataset"]))
    return _document(models.get_model(context, request["model"])), dataset


def _newest(context: AppContext, noun: Noun[Any], model_id: str) -> list[Json]:
    """Return the newest artefact of a model that is ready, with its result, if there is one."""
    listed = artefacts.list_all(context, noun, 1, None, model=model_id, status="ready").data
    return [_ready(context, noun, each.id) for each in listed]


def _ready(context: AppContext, noun: Noun[Any], artefact_id: str) -> Json:
    """Return an artefact's document; refuse one that is not ready, or too large to be drawn."""
    size = artefacts.result_path(context, noun, artefact_id).stat().st_size
    if size > _MAX_DRAWN_BYTES:
        detail = f"the result has {size:,} bytes, more than the {_MAX_DRAWN_BYTES:,} that are drawn; download it"
        raise StorageError("too_many_rows", detail)
    return _document(artefacts.get_one(context, noun, artefact_id))


def _documents(views: list[Any]) -> list[Json]:
    return [_document(view) for view in views]


def _document(view: BaseModel) -> Json:
    return view.model_dump(mode="json")
