"""The views of jobs: each with the names of what it is made from, as its request says."""

from collections.abc import Iterable

from leafspace_drawings import JobInput, Jobs, draw_jobs

from schemas.nouns import NOUNS
from storage.registry import Registry

from ..app_context import AppContext
from .documents import LINKS, listed

_LISTED = 50
_REGISTRIES = ("models", "datasets", "explainers", "relational_datasets")  # of things that have names
_NOUN_OF_FIELD = {
    name: noun for kind in NOUNS.kinds_of_jobs for name, noun in kind.made_from.items() if noun in _REGISTRIES
}


def jobs_here(context: AppContext) -> Jobs:
    """Return the newest jobs, and what each makes its artefact from."""
    newest = listed(context.jobs.list(_LISTED, None).data)
    things = context.jobs.made_from([job["id"] for job in newest], _NOUN_OF_FIELD)
    names = _names(context, ((name, thing) for of_job in things.values() for name, thing in of_job.items()))
    made_from = {
        job: [JobInput(name, thing, names.get(thing) or thing) for name, thing in of_job.items()]
        for job, of_job in things.items()
    }
    return Jobs(newest, made_from, LINKS)


def jobs_view(context: AppContext) -> str:
    """Draw jobs alone."""
    return draw_jobs(jobs_here(context))


def _names(context: AppContext, named: Iterable[tuple[str, str]]) -> dict[str, str | None]:
    """Return the names of things, given the field and the id of each."""
    by_noun: dict[str, set[str]] = {}
    for name, thing in named:
        by_noun.setdefault(_NOUN_OF_FIELD[name], set()).add(thing)
    names: dict[str, str | None] = {}
    for noun, things in by_noun.items():
        registry: Registry[object, object, object, object] = getattr(context, noun)
        names |= registry.names(things)
    return names
