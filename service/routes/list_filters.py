"""List filters: the query parameters that narrow the list of a noun, derived from its declaration."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import AfterValidator, AwareDatetime

from schemas.artefacts import ArtefactStatus
from schemas.contract import Name
from schemas.jobs import JobStatus
from schemas.noun import TIME_FILTERS, Noun
from schemas.nouns import NOUNS

Filters = dict[str, str]
_OF_OTHERS: dict[str, tuple[Sequence[Noun[Any]], str]] = {
    "artefact": (NOUNS.kinds_of_jobs, "that make this artefact"),
    "explainer": ([NOUNS["explainers"]], "by this explainer"),
}
_TEXTS = {
    "name": ("that have exactly this name", "credit scoring, March"),
    "row_id": ("of rows with exactly this id", "applicant-17"),
}
_EXAMPLE = "k2v6x3zq5jyw4t7n2m6b3c5d7a"  # of an id, without its prefix


def filters_of(noun: Noun[Any]) -> Callable[..., Awaitable[Filters]]:
    """Return the dependency that gives a route the filters of a request: values by field, those sent alone.

    An unknown value of a field that has few is refused with those that there are; an id of another kind of thing is
    refused, too. An id that nothing has is no error: nothing is listed then.
    """

    async def filters(**values: str | None) -> Filters:
        return {field: value for field, value in values.items() if value is not None}

    parameters = [
        inspect.Parameter(field, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_parameter(noun, field))
        for field in noun.filters
    ]
    filters.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # read by FastAPI
    return filters


def _parameter(noun: Noun[Any], field: str) -> Any:  # an annotation
    """Return the type of one parameter with its description and an example."""
    if field in noun.made_from:
        words = field.replace("_", " ")
        return _of_id([NOUNS[noun.made_from[field]]], f"Only {noun.words} that were made from this {words}: its id.")
    if field in _OF_OTHERS:
        others, text = _OF_OTHERS[field]
        return _of_id(others, f"Only {noun.words} {text}: its id.")
    if field in TIME_FILTERS:
        when = "at this time or later" if field == "created_from" else "before this time"
        description = f"Only {noun.words} that were made {when} (RFC 3339, with an offset)."
        query = Query(description=description, examples=["2026-01-31T08:00:00Z"])
        return Annotated[AwareDatetime | None, AfterValidator(_written), query]
    if field in _TEXTS:
        text, example = _TEXTS[field]
        return Annotated[Name | None, Query(description=f"Only {noun.words} {text}.", examples=[example])]
    kinds = {"kind": Literal[tuple(noun_of_job.name for noun_of_job in NOUNS.kinds_of_jobs)]}
    statuses = ArtefactStatus if noun.is_made_by_job else JobStatus
    chosen, example = (kinds[field], "prototype_sets") if field in kinds else (statuses, "failed")
    return Annotated[chosen | None, Query(description=f"Only {noun.words} of this {field}.", examples=[example])]


def _written(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat()


def _of_id(nouns: Sequence[Noun[Any]], description: str) -> Any:  # an annotation
    prefixes = "|".join(noun.id_prefix for noun in nouns)
    pattern = rf"^({prefixes})[a-z0-9]{{1,60}}$"
    query = Query(pattern=pattern, description=description, examples=[f"{nouns[0].id_prefix}{_EXAMPLE}"])
    return Annotated[str | None, query]
