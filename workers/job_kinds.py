"""The function that makes each kind of artefact."""

from collections.abc import Mapping
from importlib import import_module

from .runtime.context import JobKind

JOB_KINDS = {
    "approximation_trees": "workers.jobs.approximation_trees.make_approximation_tree",
    "explanation_sets": "workers.jobs.explanation_sets.make_explanation_set",
    "label_audits": "workers.jobs.label_audits.make_label_audit",
    "prototype_sets": "workers.jobs.prototype_sets.make_prototype_set",
    "proximities": "workers.jobs.proximities.make_proximities",
    "rule_sets": "workers.jobs.rule_sets.make_rule_set",
}


def load_job_kinds(names: Mapping[str, str] = JOB_KINDS) -> dict[str, JobKind]:
    """Import the function of each kind, and with it everything heavy, before the first job is forked."""
    return {kind: _load(name) for kind, name in names.items()}


def _load(name: str) -> JobKind:
    module, _, function = name.rpartition(".")
    kind: JobKind = getattr(import_module(module), function)
    return kind
