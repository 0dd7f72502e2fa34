"""What the sender says about several tables: their keys, which rows are the examples, and when rows became known."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Self

from ..dataset_files.layout import near_name, shown
from ..errors import DatasetRefused


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns that name rows of a table."""

    columns: tuple[str, ...]
    references: str


@dataclass(frozen=True, slots=True)
class TableDeclaration:
    """One table."""

    name: str
    index: int  # in the metadata
    primary_key: tuple[str, ...] | None  # None: inferred, or none
    foreign_keys: tuple[ForeignKey, ...]
    time: str | None
    categories: tuple[str, ...]
    features: tuple[str, ...]  # tested although they hold ids

    @property
    def pointer(self) -> str:
        """JSON Pointer to its entry."""
        return f"/metadata/tables/{self.index}"

    def named_columns(self) -> Iterator[tuple[str, str]]:
        """Yield each column that is named, with a pointer to where."""
        for index, name in enumerate(self.primary_key or ()):
            yield name, f"{self.pointer}/primary_key/{index}"
        for number, key in enumerate(self.foreign_keys):
            for index, name in enumerate(key.columns):
                yield name, f"{self.pointer}/foreign_keys/{number}/columns/{index}"
        if self.time is not None:
            yield self.time, f"{self.pointer}/time"
        for kind, names in (("categories", self.categories), ("features", self.features)):
            for index, name in enumerate(names):
                yield name, f"{self.pointer}/{kind}/{index}"


@dataclass(frozen=True, slots=True)
class RelationalDeclaration:
    """All tables."""

    tables: tuple[TableDeclaration, ...]
    examples: str
    target: str | None
    cutoff: str | None
    infer_keys: bool

    @classmethod
    def from_json(cls, metadata: Mapping[str, Any]) -> Self:
        """Return the declaration of a message ``RelationalDatasetMetadata`` as JSON."""
        tables = tuple(_table(entry, index) for index, entry in enumerate(metadata["tables"]))
        examples = metadata["examples"]
        return cls(tables, examples["table"], examples["target"], examples["cutoff"], metadata["infer_keys"])

    def table(self, name: str) -> TableDeclaration:
        """Return the table of this name; raise ``KeyError`` where there is none."""
        return {table.name: table for table in self.tables}[name]

    def named_columns(self, table: TableDeclaration) -> Iterator[tuple[str, str]]:
        """Yield each column of a table that is named anywhere, with a pointer to where."""
        yield from table.named_columns()
        if table.name == self.examples:
            for role, name in (("target", self.target), ("cutoff", self.cutoff)):
                if name is not None:
                    yield name, f"/metadata/examples/{role}"


def check_declaration(declared: RelationalDeclaration, files: Sequence[str]) -> None:
    """Refuse what cannot be right whatever the files hold; ``files`` are the tables' names that they have.

    Raises
    ------
    DatasetRefused
        ``relational_schema_invalid``, ``relational_key_type`` or ``relational_time_type``, with a pointer.
    """
    names = [table.name for table in declared.tables]
    for table in declared.tables:
        if names.index(table.name) != table.index:
            refuse_schema(f"two tables are named {shown(table.name)}; names must differ", f"{table.pointer}/name")
        if table.name not in files:
            refuse_schema(f"there is no file of table {shown(table.name)}; send one, {_names(files)}", table.pointer)
    for name in files:
        if name not in names:
            refuse_schema(f"the metadata do not have the table {shown(name)} of a file; add it to `tables`", "/file")
        if files.count(name) > 1:
            refuse_schema(f"two files are of table {shown(name)}; send one", "/file")
    if declared.examples not in names:
        detail = f"there is no table {shown(declared.examples)}, whose rows are to be the examples"
        near = _did_you_mean(declared.examples, names)
        refuse_schema(f"{detail}; {_names(names)}{near}", "/metadata/examples/table")
    for table in declared.tables:
        _check_keys(table, declared)
    _check_examples(declared)


def check_columns(declared: RelationalDeclaration, table: TableDeclaration, names: Collection[str]) -> None:
    """Refuse a column that is named and absent."""
    for name, pointer in declared.named_columns(table):
        if name not in names:
            detail = f"table {shown(table.name)} has no column {shown(name)}; {_names(names, 'it has')}"
            refuse_schema(detail + _did_you_mean(name, names), pointer)


def refuse_schema(detail: str, pointer: str) -> NoReturn:
    """Refuse tables that do not fit together."""
    raise DatasetRefused("relational_schema_invalid", detail, pointer)


def _table(entry: Mapping[str, Any], index: int) -> TableDeclaration:
    keys = tuple(ForeignKey(tuple(key["columns"]), key["references"]) for key in entry["foreign_keys"])
    primary_key = None if entry["primary_key"] is None else tuple(entry["primary_key"])
    columns = {name: tuple(entry[name]) for name in ("categories", "features")}
    return TableDeclaration(entry["name"], index, primary_key, keys, entry["time"], **columns)


def _check_keys(table: TableDeclaration, declared: RelationalDeclaration) -> None:
    _refuse_repeats(table.primary_key or (), f"{table.pointer}/primary_key")
    _refuse_other_uses(table, declared)
    names = [each.name for each in declared.tables]
    for number, key in enumerate(table.foreign_keys):
        pointer = f"{table.pointer}/foreign_keys/{number}"
        _refuse_repeats(key.columns, f"{pointer}/columns")
        if key.references not in names:
            detail = f"there is no table {shown(key.references)}; {_names(names)}"
            refuse_schema(detail + _did_you_mean(key.references, names), f"{pointer}/references")
        if key.columns in [other.columns for other in table.foreign_keys[:number]]:
            detail = f"table {shown(table.name)} has two foreign keys of the same columns, {shown(key.columns[0])}, …"
            refuse_schema(f"{detail}; their names would be the same: keep one of them", pointer)
        referred = declared.table(key.references).primary_key
        if referred is not None and len(referred) != len(key.columns):
            detail = (
                f"the foreign key of table {shown(table.name)} has {len(key.columns)} columns, the primary key of "
                f"{shown(key.references)} has {len(referred)}; they must have as many"
            )
            raise DatasetRefused("relational_key_type", detail, f"{pointer}/columns")


def _refuse_other_uses(table: TableDeclaration, declared: RelationalDeclaration) -> None:
    """Refuse features that are declared to be something else too, which is never tested."""
    of_examples = {"target": declared.target, "cutoff": declared.cutoff} if table.name == declared.examples else {}
    keys = {*(table.primary_key or ()), *(name for key in table.foreign_keys for name in key.columns)}
    for index, name in enumerate(table.features):
        uses = [use for use, column in {"time": table.time, **of_examples}.items() if column == name]
        if uses := [*uses, *(["part of a key"] if name in keys else [])]:
            detail = f"column {shown(name)} of table {shown(table.name)} is both a feature and {uses[0]}; name it once"
            refuse_schema(detail, f"{table.pointer}/features/{index}")


def _check_examples(declared: RelationalDeclaration) -> None:
    table = declared.table(declared.examples)
    keys = {*(table.primary_key or ()), *(name for key in table.foreign_keys for name in key.columns)}
    for role, name in (("target", declared.target), ("cutoff", declared.cutoff)):
        if name is not None and name in keys:
            detail = f"column {shown(name)} is both {role} and part of a key; name two columns"
            refuse_schema(detail, f"/metadata/examples/{role}")
    if declared.target is not None and declared.target in {declared.cutoff, table.time}:
        detail = f"column {shown(declared.target)} is both the target and a time; name two columns"
        refuse_schema(detail, "/metadata/examples/target")
    if declared.cutoff is not None and all(each.time is None for each in declared.tables):
        detail = (
            "there is a cutoff, but no table has a `time`, so that it would cut off nothing; name the `time` of those "
            "whose rows became known in the course of time, or leave the cutoff out"
        )
        raise DatasetRefused("relational_time_type", detail, "/metadata/examples/cutoff")


def _refuse_repeats(names: Sequence[str], pointer: str) -> None:
    for index, name in enumerate(names):
        if name in names[:index]:
            refuse_schema(f"the key names column {shown(name)} twice", f"{pointer}/{index}")


def _did_you_mean(name: str, names: Collection[str]) -> str:
    near = near_name(name, names)
    return "" if near is None else f"; did you mean {shown(near)}?"


def _names(names: Collection[str], what: str = "there are") -> str:
    few = ", ".join(shown(name) for name in list(names)[:20])
    return f"{what} {few}{', …' if len(names) > 20 else ''}"  # as shown
