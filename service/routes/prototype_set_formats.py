"""A prototype set's result as JSON, or as a table with a row for each prototype in CSV or Parquet."""

import io
import json
import re
from operator import itemgetter
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from storage.errors import StorageError

JSON, CSV, PARQUET = "application/json", "text/csv", "application/vnd.apache.parquet"
CONTRACT: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The whole result; CSV and Parquet have a row for each prototype.",
        "content": {CSV: {"schema": {"type": "string"}}, PARQUET: {"schema": {"type": "string", "format": "binary"}}},
    }
}
_WRITTEN = {JSON: JSON, CSV: CSV, PARQUET: PARQUET, "*/*": JSON, "application/*": JSON, "text/*": CSV, "": JSON}
_QUALITY = re.compile(r"[01](\.\d{0,3})?")
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def choose(accept: str) -> str:
    """Return the media type that ``Accept`` likes best among those we write (ties: named first); JSON for anything."""
    preferences = sorted(map(_preference, accept.split(",")), key=itemgetter(0), reverse=True)
    for quality, media_type in preferences:
        if quality > 0 and media_type in _WRITTEN:
            return _WRITTEN[media_type]
    detail = f"Accept is {accept[:80]!r}; the result comes as {JSON}, {CSV} or {PARQUET}"
    raise StorageError("not_acceptable", detail)


def write(result: bytes, media_type: str) -> bytes:
    """Return the result in this media type."""
    if media_type == JSON:
        return result
    prototypes = json.loads(result)["prototypes"]
    target = io.BytesIO()
    if media_type == CSV:
        rows = [{name: _harmless(value) for name, value in _flat(prototype).items()} for prototype in prototypes]
        pa.csv.write_csv(pa.Table.from_pylist(rows), target)
    else:
        pa.parquet.write_table(pa.Table.from_pylist([_flat(prototype) for prototype in prototypes]), target)
    return target.getvalue()


def _preference(entry: str) -> tuple[float, str]:
    """Return the quality, 0 to 1, and the media type of one entry."""
    media_type, *parameters = (part.strip().lower() for part in entry.split(";"))
    given = next((parameter[2:] for parameter in parameters if parameter.startswith("q=")), "1")
    return (float(given) if _QUALITY.fullmatch(given) else 1.0), media_type


def _flat(prototype: dict[str, Any]) -> dict[str, Any]:
    plain = {name: value for name, value in prototype.items() if name not in {"coverage", "quality", "features"}}
    nested = {f"{part}_{name}": value for part in ("coverage", "quality") for name, value in prototype[part].items()}
    return plain | nested | {f"feature:{cell['name']}": cell["value"] for cell in prototype["features"]}


def _harmless(value: Any) -> Any:  # noqa: ANN401  # any cell
    # A spreadsheet would run what looks like a formula.
    return "'" + value if isinstance(value, str) and value.startswith(_FORMULA_STARTS) else value
