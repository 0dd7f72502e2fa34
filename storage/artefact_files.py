"""Files of artefacts: what is too large for the result, such as rows in Parquet; each is an object with a name."""

from collections.abc import Collection, Mapping

from sqlalchemy import Connection, delete, insert, select

from .tables import artefact_files


def files_of(connection: Connection, artefact_ids: Collection[str]) -> dict[str, dict[str, str]]:
    """Return for each artefact its files, object by name."""
    found: dict[str, dict[str, str]] = {identifier: {} for identifier in artefact_ids}
    rows = select(artefact_files).where(artefact_files.c.artefact.in_(artefact_ids)).order_by(artefact_files.c.name)
    for row in connection.execute(rows).mappings():
        found[row["artefact"]][row["name"]] = row["object"]
    return found


def replace_files(connection: Connection, artefact_id: str, files: Mapping[str, str]) -> None:
    """Let these be the artefact's files, object by name, and no others."""
    connection.execute(delete(artefact_files).where(artefact_files.c.artefact == artefact_id))
    rows = [{"artefact": artefact_id, "name": name, "object": sha256} for name, sha256 in files.items()]
    if rows:
        connection.execute(insert(artefact_files), rows)
