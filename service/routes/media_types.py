"""Content negotiation: the media type that a caller prefers, JSON, CSV or Parquet."""

import re
from collections.abc import Mapping
from operator import itemgetter
from typing import Annotated, Any

from fastapi import Header

from schemas.nouns import CSV, JSON, PARQUET
from storage.errors import StorageError

Accept = Annotated[str, Header(include_in_schema=False)]
_WRITTEN = {JSON: JSON, CSV: CSV, PARQUET: PARQUET, "*/*": JSON, "application/*": JSON, "text/*": CSV, "": JSON}
_QUALITY = re.compile(r"[01](\.\d{0,3})?")


def three_forms(description: str) -> dict[int | str, dict[str, Any]]:
    """Return the part of a route's contract that describes CSV and Parquet beside JSON."""
    tables = {CSV: {"schema": {"type": "string"}}, PARQUET: {"schema": {"type": "string", "format": "binary"}}}
    return {200: {"description": description, "content": tables}}


def choose(accept: str, written: Mapping[str, str] = _WRITTEN) -> str:
    """Return the media type that ``Accept`` prefers among those we write (ties: named first).

    ``written`` maps each type that may be requested to the one that is answered.
    """
    preferences = sorted(map(_preference, accept.split(",")), key=itemgetter(0), reverse=True)
    refused = {media_type for quality, media_type in preferences if quality == 0}
    for media_type in (media_type for quality, media_type in preferences if quality > 0):
        # The first type that a wildcard matches may be refused by name.
        others = [form for form in written.values() if media_type in (f"{form.split('/')[0]}/*", "*/*")]
        for form in (written.get(media_type), *others):
            if form and form not in refused:
                return form
    detail = f"Accept is {accept[:80]!r}; the result comes as {' or '.join(dict.fromkeys(written.values()))}"
    raise StorageError("not_acceptable", detail)


def _preference(entry: str) -> tuple[float, str]:
    """Return the quality, 0 to 1, and the media type of one entry."""
    media_type, *parameters = (part.strip().lower() for part in entry.split(";"))
    given = next((parameter[2:] for parameter in parameters if parameter.startswith("q=")), "1")
    return (float(given) if _QUALITY.fullmatch(given) else 1.0), media_type
