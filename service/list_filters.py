"""List filters: the query parameters that narrow the list of a noun, derived from its declaration."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, Literal

from fastapi import Query

from schemas.artefacts import ArtefactStatus
from schemas.contract import Name
from schemas.jobs import JobStatus
from schemas.nouns import NOUNS, Noun

Filters = dict[str, str]
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


def _parameter(noun: Noun[Any], field: str) -> Any:  # noqa: ANN401  # an annotation
    """Return the type of one parameter with its description and an example."""
    if field in noun.made_from:
        words = field.replace("_", " ")
        return _of_id([NOUNS[noun.made_from[field]]], f"Only {noun.words} that were made from this {words}: its id.")
    if field == "artefact":
        return _of_id(NOUNS.made_by_jobs, "Only jobs that make this artefact: its id.")
    if field == "name":
        query = Query(description=f"Only {noun.words} that have exactly this name.", examples=["credit scoring, March"])
        return Annotated[Name | None, query]
    kinds = {"kind": Literal[tuple(made.name for made in NOUNS.made_by_jobs)]}
    statuses = ArtefactStatus if noun.is_made_by_job else JobStatus
    chosen, example = (kinds[field], "prototype_sets") if field in kinds else (statuses, "failed")
    return Annotated[chosen | None, Query(description=f"Only {noun.words} of this {field}.", examples=[example])]


def _of_id(nouns: Sequence[Noun[Any]], description: str) -> Any:  # noqa: ANN401  # an annotation
    prefixes = "|".join(noun.id_prefix for noun in nouns)
    pattern = rf"^({prefixes})[a-z0-9]{{1,60}}$"
    query = Query(pattern=pattern, description=description, examples=[f"{nouns[0].id_prefix}{_EXAMPLE}"])
    return Annotated[str | None, query]
