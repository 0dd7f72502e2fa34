"""What is here, and what is being made: models, datasets and jobs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .links import Links
from .model import kind_of
from .templating import render

Json = Mapping[str, Any]

_FINAL = frozenset({"succeeded", "failed", "cancelled"})
NOUNS = {  # of artefacts that a view shows: the part of its address, and its name
    "prototype_sets": ("prototypes", "prototypes"),
    "rule_sets": ("rules", "rules"),
    "approximation_trees": ("trees", "tree"),
    "label_audits": ("audits", "label audit"),
}


@dataclass(frozen=True, slots=True)
class Here:
    """What an overview shows: documents of the API's lists, newest first."""

    models: Sequence[Json] = ()
    datasets: Sequence[Json] = ()
    jobs: Sequence[Json] = ()
    artefacts: Mapping[str, Sequence[Json]] = field(default_factory=dict)  # by noun, without results
    explainers: Sequence[Json] = ()
    links: Links = field(default_factory=Links)


def draw_overview(here: Here) -> str:
    """Return the drawing of everything that a service has."""
    return render("overview", here=here, cards=[_Card(model, here) for model in here.models], work=_Work(here.jobs))


def draw_jobs(jobs: Sequence[Json]) -> str:
    """Return the drawing of jobs alone, for a page that follows them."""
    return render("jobs", work=_Work(jobs))


class _Work:
    """Jobs under way and those that failed."""

    def __init__(self, jobs: Sequence[Json]) -> None:
        self.running = [job for job in jobs if job["status"] not in _FINAL]
        self.failed = [job for job in jobs if job["status"] == "failed"][:5]
        self.n_done = sum(job["status"] == "succeeded" for job in jobs)


class _Card:
    """A model, and what exists for it."""

    def __init__(self, model: Json, here: Here) -> None:
        self.model = model
        self.kind = kind_of(model)
        self.href = here.links.to("models", model["id"])
        self.made = [
            (name, here.links.to(part, document["id"]))
            for noun, (part, name) in NOUNS.items()
            for document in _of_model(here.artefacts.get(noun, ()), model["id"])
        ]
        self.explainers = [
            (explainer, here.links.to("explainers", explainer["id"]))
            for explainer in here.explainers
            if explainer["model"] == model["id"]
        ]


def _of_model(documents: Sequence[Json], model: str) -> list[Json]:
    """Return the newest artefact of a model that is ready, if there is one."""
    return [each for each in documents if each["request"]["model"] == model and each["status"] == "ready"][:1]
