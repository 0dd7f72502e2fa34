"""Jobs: what is being made of what, how far each has come, and which have ended."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from .links import Links
from .pictures import address_of
from .templating import render
from .words import duration, kind_words, share

Json = Mapping[str, Any]

_FINAL = frozenset({"succeeded", "failed", "cancelled"})
_MOST_FAILED = 5
_WORDS = {
    "model": "of",
    "dataset": "on",
    "evaluation_dataset": "measured on",
    "other_model": "with",
    "other_dataset": "with",
}  # others are called by the field


@dataclass(frozen=True, slots=True)
class JobInput:
    """Something that a job makes its artefact from."""

    field: str  # of the request, such as ``other_model``
    thing: str  # its id
    name: str  # or its id again


@dataclass(frozen=True, slots=True)
class Jobs:
    """Jobs as the API lists them, newest first, and what each makes its artefact from, by the id of the job."""

    listed: Sequence[Json] = ()
    made_from: Mapping[str, Sequence[JobInput]] = field(default_factory=dict)
    links: Links = field(default_factory=Links)


def draw_jobs(jobs: Jobs) -> str:
    """Return the drawing of jobs alone: those under way, and those that have ended."""
    work = Work(jobs)
    return render("jobs", work=work, ended=[work.line(job) for job in jobs.listed if job["status"] in _FINAL])


class Work:
    """Jobs under way and those that failed."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self.running = [self.line(job) for job in jobs.listed if job["status"] not in _FINAL]
        self.failed = [self.line(job) for job in jobs.listed if job["status"] == "failed"][:_MOST_FAILED]
        self.tenths = " ".join(f"{job.id}:{int(10 * job.fraction)}" for job in self.running)

    def line(self, job: Json) -> "JobLine":
        """Return how a job is listed."""
        return JobLine(job, self._jobs)

    @property
    def spoken(self) -> str:
        """The progress of the jobs, for screen readers."""
        far = (f"{job.words} {share(job.fraction)}" for job in self.running[:3])
        return ", ".join(far) or "Nothing is being made."


class JobLine:
    """How a job is listed."""

    def __init__(self, job: Json, jobs: Jobs) -> None:
        self.job = job
        self.id: str = job["id"]
        self.words = kind_words(job["kind"])
        self.fraction: float = job["progress"]["fraction"]
        self.doing: str = job["progress"]["message"] or job["progress"]["stage"]
        self.href = _made_by(job, jobs.links)
        self.made_from = [
            (_WORDS.get(each.field, each.field.replace("_", " ")), each.name, address_of(each.thing, jobs.links))
            for each in jobs.made_from.get(self.id, ())
        ]
        names = [name for _, name, _ in self.made_from[:1]]
        self.described = " of ".join([self.words, *names])
        can_be_cancelled = job["status"] in {"queued", "running"} and jobs.links.base is not None
        self.cancel = f"/v1/jobs/{self.id}/cancel" if can_be_cancelled else None

    @property
    def took(self) -> str:
        """How long its last attempt took; nothing where it never began."""
        times = [self.job["started_at"], self.job["finished_at"]]
        if None in times:
            return ""
        began, ended = map(datetime.fromisoformat, times)
        return duration((ended - began).total_seconds())


def _made_by(job: Json, links: Links) -> str | None:
    """Return the address of what a job makes or made, where there is a view of it."""
    # Of a dataset by reference, the id only names the request.
    has_view = job["status"] not in {"failed", "cancelled"} and job["kind"] != "datasets"
    return address_of(job["artefact"], links) if has_view else None
