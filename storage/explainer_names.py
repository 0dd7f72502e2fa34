"""Names of explainers: which explainer each means now, and every change of that.

A change is made against the state that was read before it: where another caller was faster, nothing is written, and the
state is to be read again.
"""

import secrets
import time
from base64 import b32encode
from dataclasses import dataclass

from sqlalchemy import Connection, RowMapping, delete, func, insert, select, update

from schemas.contract import Page
from schemas.explainer_names import ExplainerName, ExplainerNameChange

from .database import Database
from .errors import Conflict, NotFound
from .records import add_record, existing_record, find_record, first_record, moment, read_page, where_equal
from .tables import explainer_name_changes, explainer_names, explainers

MAX_NAMES = 1000
"""Every process reads all of them every second."""
_RANDOM_BYTES = 10
_TICK_SECONDS = 1e-6  # between two changes of a name, whatever the clock says


@dataclass(frozen=True, slots=True)
class Change:
    """What a name is to mean."""

    name: str
    explainer: str
    forced: bool


class ExplainerNameStore:
    """Rows of names, and of their changes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, name: str) -> ExplainerName | None:
        """Return the name with its explainer, or nothing."""
        with self._database.reading() as connection:
            row = find_record(connection, explainer_names, name)
        return None if row is None else _view(row)

    def get(self, name: str) -> ExplainerName:
        """Return the name with its explainer; raise ``NotFound`` where there is none."""
        explainer_name = self.find(name)
        if explainer_name is None:
            raise no_such_name(name)
        return explainer_name

    def list(self, limit: int, cursor: str | None, **filters: str) -> Page[ExplainerName]:
        """Return one page of names, newest first: those that have these values in these columns."""
        query = where_equal(select(explainer_names), explainer_names, filters)
        with self._database.reading() as connection:
            return read_page(connection, query, explainer_names, (limit, cursor), _view)

    def history(self, name: str, limit: int, cursor: str | None) -> Page[ExplainerNameChange]:
        """Return one page of a name's changes, newest first; they outlive the name."""
        query = select(explainer_name_changes).where(explainer_name_changes.c.name == name)
        with self._database.reading() as connection:
            if first_record(connection, query.limit(1)) is None:
                raise no_such_name(name)
            return read_page(connection, query, explainer_name_changes, (limit, cursor), _change_view)

    def targets(self) -> dict[str, str]:
        """Return the id of each name's explainer, by name."""
        with self._database.reading() as connection:
            rows = connection.execute(select(explainer_names.c.id, explainer_names.c.explainer)).all()
        return {row.id: row.explainer for row in rows}

    def point(self, change: Change, seen: ExplainerName | None, caller: str | None) -> ExplainerName | None:
        """Let a name mean an explainer, and write down who changed it.

        Parameters
        ----------
        change
            The name and the explainer.
        seen
            The state that the change was decided on; none: there was no such name.
        caller
            Id of the API key, if there is one.

        Returns
        -------
        ExplainerName or None
            The new state; none if the name is not in the state that was seen, and nothing was changed.

        Raises
        ------
        NotFound
            If there is no such explainer.
        Conflict
            Beyond ``MAX_NAMES``.
        """
        with self._database.transaction() as connection:
            existing_record(connection, explainers, change.explainer)
            change_id, now = _drawn_id(), _later_than(seen)
            written = {"explainer": change.explainer, "last_change": change_id, "changed_at": now}
            if not (_add(connection, change.name, written) if seen is None else _replace(connection, seen, written)):
                return None
            previous = None if seen is None else seen.explainer
            changed = {"id": change_id, "name": change.name, "caller": caller, "created_at": now}
            meant = {"explainer": change.explainer, "previous_explainer": previous}
            values = {**changed, **meant, "forced": change.forced}
            connection.execute(insert(explainer_name_changes).values(**values))
            return _view(existing_record(connection, explainer_names, change.name))

    def delete(self, seen: ExplainerName, caller: str | None) -> bool:
        """Forget the name, and write down who did; return whether it was still in the state that was seen."""
        names = explainer_names.c
        with self._database.transaction() as connection:
            is_seen = (names.id == seen.name) & (names.last_change == seen.last_change)
            if connection.execute(delete(explainer_names).where(is_seen)).rowcount == 0:
                return False
            changed = {"id": _drawn_id(), "name": seen.name, "caller": caller, "created_at": _later_than(seen)}
            values = {**changed, "explainer": None, "previous_explainer": seen.explainer, "forced": False}
            connection.execute(insert(explainer_name_changes).values(**values))
            return True


def _add(connection: Connection, name: str, values: dict[str, object]) -> bool:
    if connection.execute(select(func.count()).select_from(explainer_names)).scalar_one() >= MAX_NAMES:
        raise Conflict("conflict", f"there are {MAX_NAMES:,} names already, the most there can be; delete some")
    return add_record(connection, explainer_names, {"id": name, **values, "created_at": values["changed_at"]})


def _replace(connection: Connection, seen: ExplainerName, values: dict[str, object]) -> bool:
    names = explainer_names.c
    is_seen = (names.id == seen.name) & (names.last_change == seen.last_change)
    return connection.execute(update(explainer_names).where(is_seen).values(**values)).rowcount == 1


def _later_than(seen: ExplainerName | None) -> float:
    # Changes are listed by their time: one that comes later must not seem earlier where the clock was set back.
    now = time.time()
    return now if seen is None else max(now, seen.changed_at.timestamp() + _TICK_SECONDS)


def _drawn_id() -> str:
    return "chg_" + b32encode(secrets.token_bytes(_RANDOM_BYTES)).decode().lower()


def no_such_name(name: str) -> NotFound:
    """Return what to raise where a name means nothing."""
    return NotFound("explainer", name, "list the explainer names to see those that exist", known_by="name")


def _view(row: RowMapping) -> ExplainerName:
    return ExplainerName(
        name=row["id"],
        explainer=row["explainer"],
        last_change=row["last_change"],
        created_at=moment(row["created_at"]),
        changed_at=moment(row["changed_at"]),
    )


def _change_view(row: RowMapping) -> ExplainerNameChange:
    facts = {name: row[name] for name in ("id", "name", "explainer", "previous_explainer", "forced")}
    return ExplainerNameChange(**facts, key=row["caller"], created_at=moment(row["created_at"]))
