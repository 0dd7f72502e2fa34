"""A service's context and a job's process in one: jobs are requested as the API does it, and run on the spot.

Uploads are read on the spot, too, by what their child process would call.
"""

import io
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

import pandas as pd
import pyarrow as pa

from sandbox.child import answer_to, named_function
from sandbox.child_process import ChildOutcome
from sandbox.messages import Request
from schemas.approximation_trees import APPROXIMATION_TREES, ApproximationTree, ApproximationTreeRequest
from schemas.cautions import Caution
from schemas.comparisons import COMPARISONS, Comparison, ComparisonRequest
from schemas.datasets import DatasetMetadata
from schemas.evaluations import EVALUATIONS, Evaluation, EvaluationRequest
from schemas.explainers import ExplainerRequest
from schemas.explanation_sets import ExplanationSet, ExplanationSetRequest
from schemas.explanations import EXPLANATION_SETS
from schemas.jobs import Job
from schemas.label_audits import LABEL_AUDITS, LabelAudit, LabelAuditRequest
from schemas.models import ModelMetadata
from schemas.noun import Noun
from schemas.problems import Problem
from schemas.prototype_sets import PROTOTYPE_SETS, PrototypeSet, PrototypeSetRequest
from schemas.proximities import PROXIMITIES, Proximities, ProximitiesRequest
from schemas.relational_datasets import RelationalDatasetMetadata
from schemas.rule_sets import RULE_SETS, RuleSet, RuleSetRequest
from service.app_context import AppContext, build_context
from service.operations import (
    approximation_trees,
    artefact_tables,
    artefacts,
    comparisons,
    datasets,
    evaluations,
    explainers,
    explanation_sets,
    label_audits,
    models,
    prototype_sets,
    proximities,
    relational_datasets,
    rule_sets,
)
from service.operations.artefacts import View
from service.settings import ServiceSettings
from service.upload_sandbox.runner import UploadReader
from storage.attempts import AttemptStore, Claim
from tree_explainers.compute import code_cache
from workers.job_kinds import load_job_kinds
from workers.runtime.lifecycle import run_job
from workers.runtime.process_limits import hand_back_large_blocks
from workers.runtime.settings import WorkerSettings

from .databases import put_tables
from .processes import Taken, do_in_a_fork

Result_co = TypeVar("Result_co", covariant=True)
_NO_REDIS = "redis://127.0.0.1:1/0"


class _Made(Protocol[Result_co]):
    @property
    def result(self) -> Result_co | None: ...

    @property
    def problem(self) -> Problem | None: ...


def result_of(made: _Made[Result_co]) -> Result_co:
    """Return the result of an artefact that is ready."""
    assert made.result is not None, made.problem
    return made.result


class _Cautioned(Protocol):
    @property
    def cautions(self) -> list[Caution]: ...


def cautions_of(result: _Cautioned) -> str:
    """Return what the cautions of a result say, a line each."""
    return "\n".join(caution.text for caution in result.cautions)


class Workshop:
    """Registers, requests, and does what was requested in this very process."""

    def __init__(self, context: AppContext, directory: Path) -> None:
        self.context = context
        database_url = context.settings.database_url
        self._settings = WorkerSettings(data_dir=directory, redis_url=_NO_REDIS, database_url=database_url)
        self._attempts = AttemptStore(context.database)
        self._kinds = load_job_kinds()

    def in_a_fork(self, work: Callable[[], object]) -> Taken:
        """Do work in a fork of this process, once no thread is compiling, whose lock nobody would open there.

        Memory is handed back as in a job's own process.
        """
        self.context.loops.load()
        self.context.database.close()

        def work_as_jobs_do() -> None:
            hand_back_large_blocks()
            work()

        return do_in_a_fork(work_as_jobs_do)

    def register_model(self, onnx: bytes, **metadata: object) -> str:
        model, _ = models.register_model(self.context, io.BytesIO(onnx), ModelMetadata.model_validate(metadata))
        # A job here, unlike in its own process, could call a loop that a thread of the API is just compiling.
        self.context.loops.load()
        return model.id

    def register_dataset(self, frame: pd.DataFrame, **metadata: object) -> str:
        content = io.BytesIO(frame.to_parquet(index=False))
        dataset, _ = datasets.register_dataset(self.context, content, DatasetMetadata.model_validate(metadata))
        return dataset.id

    def register_tables(self, files: Mapping[str, bytes], metadata: Mapping[str, object]) -> str:
        """Register a relational dataset; files by their names."""
        described = RelationalDatasetMetadata.model_validate(metadata)
        parts = [(name, io.BytesIO(content)) for name, content in files.items()]
        dataset, _ = relational_datasets.register_relational_dataset(self.context, parts, described)
        self.context.loops.load()
        return dataset.id

    def register_explainer(self, **request: object) -> str:
        explainer, _ = explainers.register_explainer(self.context, ExplainerRequest.model_validate(request))
        return explainer.id

    def create(self, **request: object) -> PrototypeSet:
        return prototype_sets.request_prototype_set(self.context, PrototypeSetRequest.model_validate(request))

    def make(self, **request: object) -> PrototypeSet:
        """Request a prototype set, do its job if there is one, and return what came of it."""
        return self._made(PROTOTYPE_SETS, self.create(**request))

    def find_neighbors(self, **request: object) -> Proximities:
        """Request proximities, do their job if there is one, and return what came of it."""
        requested = proximities.request_proximities(self.context, ProximitiesRequest.model_validate(request))
        return self._made(PROXIMITIES, requested)

    def audit(self, **request: object) -> LabelAudit:
        """Request a label audit, do its job if there is one, and return what came of it."""
        requested = label_audits.request_label_audit(self.context, LabelAuditRequest.model_validate(request))
        return self._made(LABEL_AUDITS, requested)

    def compare(self, **request: object) -> Comparison:
        """Request a comparison, do its job if there is one, and return what came of it."""
        requested = comparisons.request_comparison(self.context, ComparisonRequest.model_validate(request))
        return self._made(COMPARISONS, requested)

    def evaluate(self, **request: object) -> Evaluation:
        """Request an evaluation, do its job if there is one, and return what came of it."""
        requested = evaluations.request_evaluation(self.context, EvaluationRequest.model_validate(request))
        return self._made(EVALUATIONS, requested)

    def find_rules(self, **request: object) -> RuleSet:
        """Request a rule set, do its job if there is one, and return what came of it."""
        requested = rule_sets.request_rule_set(self.context, RuleSetRequest.model_validate(request))
        return self._made(RULE_SETS, requested)

    def grow_tree(self, **request: object) -> ApproximationTree:
        """Request an approximation tree, do its job if there is one, and return what came of it."""
        request_ = ApproximationTreeRequest.model_validate(request)
        requested = approximation_trees.request_approximation_tree(self.context, request_)
        return self._made(APPROXIMATION_TREES, requested)

    def explain(self, **request: object) -> ExplanationSet:
        """Request an explanation set, do its job if there is one, and return what came of it."""
        requested = explanation_sets.request_explanation_set(
            self.context, ExplanationSetRequest.model_validate(request)
        )
        return self._made(EXPLANATION_SETS, requested)

    def table_of(self, noun: Noun[View], made: View) -> pa.Table:
        """Return the table that a job made beside its result."""
        with artefact_tables.open_table(self.context, noun, made.id)[1] as table:
            return table.read(0, table.n_rows)

    def _made(self, noun: Noun[View], requested: View) -> View:
        if requested.status == "pending":
            self.run(requested.job or "")
        return artefacts.get_one(self.context, noun, requested.id)

    def run(self, job_id: str) -> Job:
        """Do a job."""
        self.work(self.claim(job_id))
        return self.context.jobs.get(job_id)

    def claim(self, job_id: str) -> Claim:
        claim = self._attempts.claim(job_id, 300)
        assert claim is not None
        return claim

    def work(self, claim: Claim) -> None:
        """Do a job that was claimed, as its own process would."""
        run_job(self._settings, self._kinds, claim)


@contextmanager
def workshop_in(directory: Path, **settings: Any) -> Iterator[Workshop]:  # any setting
    """Yield a workshop over a new data directory."""
    put_tables(directory / "leafspace.db")
    context = build_context(ServiceSettings(data_dir=directory, redis_url=_NO_REDIS, **settings))
    reader = UploadReader(context.settings.upload_reader, _read_here)
    yield Workshop(replace(context, upload_reader=reader), directory)
    context.close()


def _read_here(request: Request, _n_seconds: float) -> ChildOutcome:
    try:
        answer = json.loads(json.dumps(answer_to(request, named_function(request.task.function)), allow_nan=False))
    finally:
        code_cache._may_compile = True  # which a child gives up for good
    return ChildOutcome(answer, 0, "")
