"""Retention: old items on which nothing depends are deleted, one after the other.

Each goes in a transaction of its own, by the same code as when a caller deletes it: what an explainer, an artefact or
a job under way depends on is refused there, whatever was found before.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, and_, delete, exists, or_, select

from schemas.jobs import FINAL_STATUSES

from .artefacts import EXPLAINER_PARTS, ArtefactStore
from .database import Database
from .datasets import DatasetStore
from .errors import Conflict, InUse, NotFound
from .leaf_tables import LeafTableKey, LeafTableObjects, LeafTableStore
from .models import ModelStore
from .object_store import ObjectStore
from .records import unreferenced
from .registry import UploadRegistry
from .relational_datasets import RelationalDatasetStore
from .store_pairs import make_pair
from .tables import (
    artefacts,
    explanations,
    idempotency_keys,
    jobs,
    label_decisions,
    leaf_tables,
)

_log = logging.getLogger(__name__)
_SECONDS_PER_DAY = 86_400.0
_ROWS_AT_ONCE = 200  # in one transaction, so that no other waits long for it
_OBJECTS_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class RetentionRules:
    """How long each kind of item is kept, in days; ``None`` for ever."""

    artefact_days: float | None = (
        None  # ready ones that no explainer uses and nobody decided on, from when they were made
    )
    failed_artefact_days: float | None = 30  # those that failed or were cancelled, from when that happened
    job_days: float | None = 90  # jobs that have ended and are not the last ones of an artefact
    idempotency_days: float | None = 7
    explanation_days: float | None = 184  # stored ones, from when they were answered
    unused_input_days: float | None = None  # models and (relational) datasets that nothing uses, from when they came
    leaf_table_bytes: int | None = None  # of all leaf tables together; the oldest go first


class Retention:
    """Deletes what is older than the rules allow."""

    def __init__(
        self, database: Database, objects: ObjectStore, rules: RetentionRules, now: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._objects = objects
        self._rules = rules
        self._now = now

    def clear(self, *, any_share: bool = False) -> dict[str, int]:
        """Delete everything that is due; return the numbers of deleted items by kind.

        Parameters
        ----------
        any_share
            Whether objects of no row are deleted even if they are more than half of all.

        Raises
        ------
        StoresDiffer
            If the objects are those of another database; then nothing is deleted.
        """
        make_pair(self._database, self._objects)
        rules = self._rules
        counts = {
            "artefacts": self._clear_artefacts(("succeeded",), rules.artefact_days),
            "failed_artefacts": self._clear_artefacts(("failed", "cancelled"), rules.failed_artefact_days),
            **{
                store.table.name: self._clear_uploads(store(self._database))
                for store in (ModelStore, DatasetStore, RelationalDatasetStore)
            },
            "jobs": self._clear_jobs(rules.job_days),
            "idempotency_keys": self._clear_older(idempotency_keys, rules.idempotency_days),
            "explanations": self._clear_older(explanations, rules.explanation_days),
            "leaf_tables": self._clear_leaf_tables(rules.leaf_table_bytes),
            "objects": self._clear_orphans(any_share=any_share),
        }
        return {what: number for what, number in counts.items() if number}

    def _clear_artefacts(self, statuses: Sequence[str], days: float | None) -> int:
        if days is None:
            return 0
        is_over = and_(jobs.c.status.in_(statuses), jobs.c.finished_at < self._days_ago(days))
        is_part = exists().where(or_(*(part == artefacts.c.id for part in EXPLAINER_PARTS)))
        is_decided = exists().where(label_decisions.c.label_audit == artefacts.c.id)
        query = select(artefacts.c.noun, artefacts.c.id).join(jobs, jobs.c.id == artefacts.c.job)
        store = ArtefactStore(self._database)
        outdated = self._all(query.where(is_over, ~is_part, ~is_decided))
        return sum(self._forget(partial(store.delete, noun, artefact)) for noun, artefact in outdated)

    def _clear_uploads(self, store: UploadRegistry[Any, Any, Any, Any]) -> int:
        days = self._rules.unused_input_days
        if days is None:
            return 0
        columns = store.table.c
        is_used = or_(*(exists().where(use == columns.id) for use in store.uses))
        query = select(columns.id).where(columns.created_at < self._days_ago(days), ~is_used)
        return sum(self._forget(partial(store.delete, identifier)) for (identifier,) in self._all(query))

    def _clear_jobs(self, days: float | None) -> int:
        if days is None:
            return 0
        is_last = exists().where(artefacts.c.job == jobs.c.id)
        is_over = and_(jobs.c.status.in_(FINAL_STATUSES), jobs.c.finished_at < self._days_ago(days))
        return self._delete_rows(jobs, and_(is_over, ~is_last))

    def _clear_older(self, table: Table, days: float | None) -> int:
        if days is None:
            return 0
        return self._delete_rows(table, table.c.created_at < self._days_ago(days))

    def _clear_leaf_tables(self, most_bytes: int | None) -> int:
        if most_bytes is None:
            return 0
        store, n_bytes, n_forgotten = LeafTableStore(self._database), 0, 0
        for row in self._all(select(leaf_tables).order_by(leaf_tables.c.created_at.desc())):
            n_bytes += row.size_bytes
            if n_bytes > most_bytes:
                key = LeafTableKey(row.model, row.dataset, row.revision)
                n_forgotten += self._forget(partial(store.forget, key, LeafTableObjects(row.codes, row.outcome)))
        return n_forgotten

    def _clear_orphans(self, *, any_share: bool) -> int:
        orphans = list(self._old_orphans())
        n_objects = sum(1 for _ in self._objects.hashes()) if orphans else 0
        if 2 * len(orphans) > n_objects and not any_share:
            # Rows that were lost look the same as objects that were left behind.
            _log.error(
                "%d of %d objects belong to no row, and are left as they are: restore the database if rows were lost; "
                "otherwise run `leafspace clear --orphans`",
                len(orphans),
                n_objects,
            )
            return 0
        # Each is looked for again: by now something may refer to it.
        parts = _parts(orphans)
        return sum(discard_orphans(self._database, self._objects, part) for part in parts)

    def _old_orphans(self) -> Iterator[str]:
        for hashes in _parts(dict.fromkeys(self._objects.old_objects())):
            with self._database.reading() as connection:
                yield from unreferenced(connection, hashes)

    def _forget(self, forget: Callable[[], tuple[str, ...]]) -> int:
        """Delete a row and the objects that it alone referred to; return 0 where something refers to it by now."""
        try:
            with self._objects.discarding():
                for sha256 in forget():
                    self._objects.delete(sha256)
        except (InUse, Conflict, NotFound):
            return 0
        return 1

    def _delete_rows(self, table: Table, condition: ColumnElement[bool]) -> int:
        key = table.primary_key.columns
        n_deleted = 0
        while rows := self._all(select(*key).where(condition).limit(_ROWS_AT_ONCE)):
            chosen = or_(*(and_(*(column == value for column, value in zip(key, row, strict=True))) for row in rows))
            with self._database.transaction() as connection:
                # The condition, too: they may have changed since they were found.
                n_deleted += connection.execute(delete(table).where(chosen, condition)).rowcount
        return n_deleted

    def _all(self, query: Select[Any]) -> list[Any]:
        with self._database.reading() as connection:
            return list(connection.execute(query))

    def _days_ago(self, days: float) -> float:
        return self._now() - days * _SECONDS_PER_DAY


def _parts(hashes: Iterable[str]) -> Iterator[tuple[str, ...]]:
    remaining = iter(hashes)
    while part := tuple(islice(remaining, _OBJECTS_AT_ONCE)):
        yield part


def discard_orphans(database: Database, objects: ObjectStore, hashes: Iterable[str | None]) -> int:
    """Delete those of the objects that no row refers to; ``None`` is skipped. Return how many there were."""
    with objects.discarding():
        with database.reading() as connection:
            orphans = unreferenced(connection, hashes)
        for sha256 in orphans:
            objects.delete(sha256)
    return len(orphans)
