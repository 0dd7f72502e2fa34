"""Catalogues: what the tables of a database are, in whichever library it was opened."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .arrow_tables import CELLS_A_BATCH


@dataclass(frozen=True, slots=True)
class CatalogueTable:
    """What a catalogue states about one table."""

    name: str
    primary_key: tuple[str, ...]
    foreign_keys: tuple["CatalogueKey", ...]


@dataclass(frozen=True, slots=True)
class CatalogueKey:
    """A foreign key, and the columns that it refers to."""

    columns: tuple[str, ...]
    references: str
    referred: tuple[str, ...]


class Catalogue(ABC):
    """The tables of one database."""

    @abstractmethod
    def names(self) -> list[str]:
        """Return the names of the tables in the schema that is searched by default."""

    @abstractmethod
    def table(self, name: str) -> CatalogueTable:
        """Return the keys of a table or view; of none in particular, the table has none."""

    @abstractmethod
    def schema(self, name: str) -> Any:  # of Arrow
        """Return the columns of a table as an Arrow schema."""

    @abstractmethod
    def batches(self, name: str, schema: Any, order: Sequence[str]) -> Iterable[Any]:  # of Arrow
        """Yield these columns of a table as record batches, in the order of some of its columns."""


def rows_a_batch(schema: Any) -> int:  # of Arrow
    """Return how many rows of a table are held in memory."""
    return max(1, CELLS_A_BATCH // max(1, len(schema)))
