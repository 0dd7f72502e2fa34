"""A prototype set's result as JSON, or as a table with a row for each prototype in CSV or Parquet."""

import io
import json
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
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def choose(accept: str) -> str:
    """Return the first media type that ``Accept`` names and we write; JSON where it takes anything."""
    for entry in accept.split(","):
        media_type = entry.split(";")[0].strip().lower()
        if media_type in {JSON, CSV, PARQUET}:
            return media_type
        if media_type in {"*/*", "application/*", ""}:
            return JSON
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


def _flat(prototype: dict[str, Any]) -> dict[str, Any]:
    plain = {name: value for name, value in prototype.items() if name not in {"coverage", "features"}}
    coverage = {f"coverage_{name}": value for name, value in prototype["coverage"].items()}
    return plain | coverage | {f"feature:{cell['name']}": cell["value"] for cell in prototype["features"]}


def _harmless(value: Any) -> Any:  # noqa: ANN401  # any cell
    # A spreadsheet would run what looks like a formula.
    return "'" + value if isinstance(value, str) and value.startswith(_FORMULA_STARTS) else value
