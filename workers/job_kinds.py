"""The function that makes each kind of artefact: ``workers.jobs.<noun>.make_<singular>``."""

import gc
import sys
from collections.abc import Mapping
from importlib import import_module

from schemas.nouns import NOUNS

from .runtime.context import JobKind

JOB_KINDS = {noun.name: f"workers.jobs.{noun.name}.make_{noun.singular}" for noun in NOUNS.kinds_of_jobs}

_LATE = {
    "approximation_trees": "sklearn.tree",
    "label_audits": "sklearn.tree",
    "maps": "openTSNE",
    "rule_sets": "sklearn.tree",
}


def load_job_kinds(names: Mapping[str, str] = JOB_KINDS) -> dict[str, JobKind]:
    """Import the function of each kind, and with it everything heavy, before the first job is forked.

    Raises
    ------
    LookupError
        If a kind has no function.
    """
    return {kind: _load(kind, name) for kind, name in names.items()}


def load_late(kind: str) -> None:
    """Import what jobs of this kind import when they run, and others do not need: a second of processor time.

    Called in the worker before it forks a job's process: the first such job waits for it, the later ones share it.
    """
    late = _LATE.get(kind)
    if late is not None and late not in sys.modules:
        import_module(late)
        gc.freeze()  # as everything that was imported before: what no collection touches stays shared


def _load(kind: str, name: str) -> JobKind:
    module, _, function = name.rpartition(".")
    try:
        job: JobKind = getattr(import_module(module), function)
    except (ModuleNotFoundError, AttributeError) as error:
        if isinstance(error, ModuleNotFoundError) and error.name != module:
            raise
        detail = f"jobs of {kind} have no function: write {function} in {module.replace('.', '/')}.py"
        raise LookupError(detail) from error
    return job
