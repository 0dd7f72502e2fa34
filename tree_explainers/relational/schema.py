"""The schema of several tables: columns, keys, the relationships between tables, and which table holds the examples."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

ColumnKind = Literal["number", "category", "boolean", "key", "time"]
Direction = Literal["children", "parent"]


@dataclass(frozen=True, slots=True)
class ColumnSchema:
    """One column of a table. The values of keys and times are never tested."""

    kind: ColumnKind
    levels: tuple[str, ...] = ()  # of a category: in numeric order if all are numbers, else by text


@dataclass(frozen=True, slots=True)
class TableSchema:
    """One table."""

    columns: Mapping[str, ColumnSchema]  # by name, in the order of the file
    primary_key: tuple[str, ...] = ()
    time: str | None = None  # the column that says when a row became known
    is_key_inferred: bool = False  # rather than declared


@dataclass(frozen=True, slots=True)
class RelationshipSchema:
    """A foreign key of one table that names rows of another; it can be followed both ways."""

    child: str
    columns: tuple[str, ...]  # of the child: the foreign key
    parent: str
    parent_columns: tuple[str, ...]  # its primary key, in the same order
    is_inferred: bool = False  # rather than declared


@dataclass(frozen=True, slots=True)
class Step:
    """One way to follow a relationship: from a parent to its children, or from a child to its parent."""

    relationship: str
    to: Direction


@dataclass(frozen=True, slots=True)
class Schema:
    """All tables. Names of relationships are ``<child>.<columns, parted by commas>``."""

    tables: Mapping[str, TableSchema]
    relationships: Mapping[str, RelationshipSchema]
    examples: str  # the table whose rows are the examples
    target: str | None = None  # its column with the labels or values to predict: never tested, on any path
    cutoff: str | None = None  # its column with the time before which rows of tables with a time are seen

    def steps_from(self, table: str) -> Iterator[tuple[Step, str]]:
        """Yield each step from a table, with the table that it leads to, in the order of the relationships."""
        for name, relationship in self.relationships.items():
            if relationship.parent == table:
                yield Step(name, "children"), relationship.child
            if relationship.child == table:
                yield Step(name, "parent"), relationship.parent

    def to_json(self) -> dict[str, Any]:
        """Return the schema as plain JSON values, for ``from_json``."""
        return asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Schema":
        """Return the schema that ``to_json`` gave, also after it was written as JSON and read again."""
        tables = {
            name: TableSchema(
                {column: ColumnSchema(of["kind"], tuple(of["levels"])) for column, of in table["columns"].items()},
                tuple(table["primary_key"]),
                table["time"],
                table["is_key_inferred"],
            )
            for name, table in document["tables"].items()
        }
        relationships = {
            name: RelationshipSchema(
                of["child"], tuple(of["columns"]), of["parent"], tuple(of["parent_columns"]), of["is_inferred"]
            )
            for name, of in document["relationships"].items()
        }
        return cls(tables, relationships, document["examples"], document["target"], document["cutoff"])

    def reached(self, step: Step) -> str:
        """Return the table that a step leads to."""
        relationship = self.relationships[step.relationship]
        return relationship.child if step.to == "children" else relationship.parent
