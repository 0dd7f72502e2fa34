"""Keys: primary keys that are unique, and foreign keys whose values exist, declared or inferred by name and value."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ..dataset_files.layout import shown
from ..errors import DatasetRefused
from .declaration import ForeignKey, RelationalDeclaration, TableDeclaration, refuse_schema
from .key_columns import NO_ROW, KeyColumn, Match, differ_in_type, look_different, match_rows, why_unfit
from .table_files import ReadTable

Names = Mapping[str, Collection[str]]  # of the columns, by table
PrimaryKeys = Mapping[str, tuple[str, ...]]  # by table; empty where there is none

_TOO_COMMON = "id"


@dataclass(frozen=True, slots=True)
class Link:
    """A foreign key, and which rows its values name."""

    child: str
    columns: tuple[str, ...]
    parent: str
    match: Match
    inferred: bool

    @property
    def name(self) -> str:
        """Name of the relationship."""
        return f"{self.child}.{','.join(self.columns)}"

    def described(self, n_parent_rows: int) -> dict[str, object]:
        """Return the description of the relationship."""
        parents = self.match.parents
        n_children = np.bincount(parents[parents != NO_ROW], minlength=n_parent_rows)
        return {
            "name": self.name,
            "from": self.child,
            "to": self.parent,
            "columns": list(self.columns),
            "n_dangling": self.match.n_dangling,
            "n_without": int((n_children == 0).sum()),
            "mean_rows": float(n_children.mean()) if n_parent_rows else 0.0,
            "max_rows": int(n_children.max(initial=0)),
            "inferred": self.inferred,
        }


def possible_keys(declared: RelationalDeclaration, names: Names) -> dict[str, set[str]]:
    """Return by table the columns that are, or by their names may be, part of a key."""
    keys = {
        table.name: {*(table.primary_key or ()), *(name for key in table.foreign_keys for name in key.columns)}
        for table in declared.tables
    }
    if declared.infer_keys:
        primary = {table.name: _possible_primary_key(declared, table, names) for table in declared.tables}
        for table in declared.tables:
            keys[table.name].update(primary[table.name])
            keys[table.name].update(name for name, _ in _possible_references(declared, table, names, primary))
    return keys


def find_primary_keys(declared: RelationalDeclaration, tables: Mapping[str, ReadTable]) -> PrimaryKeys:
    """Return the primary keys, declared or inferred.

    Raises
    ------
    DatasetRefused
        ``relational_key_not_unique``, with the first value that is missing or repeated.
    """
    names = {table.name: table.uploaded.names for table in tables.values()}
    return {table.name: _primary_key(declared, table, names) for table in tables.values()}


def find_links(
    declared: RelationalDeclaration, tables: Mapping[str, ReadTable], primary: PrimaryKeys
) -> Iterator[Link]:
    """Yield the foreign keys, table by table: declared ones, then inferred ones.

    Raises
    ------
    DatasetRefused
        ``relational_key_type``, or ``relational_reference_unknown`` where none of a key's values exists.
    """
    names = {table.name: table.uploaded.names for table in tables.values()}
    for table in declared.tables:
        for number, key in enumerate(table.foreign_keys):
            yield _declared_link(table, number, key, tables, primary)
        if declared.infer_keys:
            yield from _inferred_links(declared, table, names, tables, primary)


def _possible_primary_key(declared: RelationalDeclaration, table: TableDeclaration, names: Names) -> tuple[str, ...]:
    if table.primary_key is not None:
        return table.primary_key
    taken = used_otherwise(declared, table)
    usual = ["id", f"{table.name}_id", *([table.name] if _may_be_named_as_table(declared, table, names) else [])]
    return next(((name,) for name in usual if name in names[table.name] and name not in taken), ())


def _may_be_named_as_table(declared: RelationalDeclaration, table: TableDeclaration, names: Names) -> bool:
    """Return whether a column called as its table may be its key: of examples, or of what others name or refer to.

    Else it is what the table is about: a table of amounts has a column ``amount``, each row perhaps another.
    """
    others = [other for other in declared.tables if other.name != table.name]
    columns = {table.name, f"{table.name}_{table.name}"}
    return table.name == declared.examples or any(
        columns & set(names[other.name]) or any(key.references == table.name for key in other.foreign_keys)
        for other in others
    )


def used_otherwise(declared: RelationalDeclaration, table: TableDeclaration) -> set[str | None]:
    """Return the columns that are features, the target, or say when something was: no key is inferred from them."""
    of_examples = {declared.target, declared.cutoff} if table.name == declared.examples else set()
    return {table.time, *table.features, *of_examples}


def _possible_references(
    declared: RelationalDeclaration, table: TableDeclaration, names: Names, primary: PrimaryKeys
) -> Iterator[tuple[str, str]]:
    """Yield columns that are called as a key of another table, with that table; the examples' table first."""
    taken = used_otherwise(declared, table) | {key.columns[0] for key in table.foreign_keys if len(key.columns) == 1}
    if len(primary[table.name]) == 1:
        taken |= set(primary[table.name])
    others = sorted((other.name for other in declared.tables), key=lambda name: name != declared.examples)
    for name in names[table.name]:
        for other in others:
            if other == table.name or len(primary[other]) != 1 or name in taken:
                continue
            (key,) = primary[other]
            if name == f"{other}_{key}" or (name == key and key != _TOO_COMMON):
                yield name, other


def _primary_key(declared: RelationalDeclaration, table: ReadTable, names: Names) -> tuple[str, ...]:
    are_row_ids = table.name == declared.examples
    if table.declared.primary_key is None:
        possible = _possible_primary_key(declared, table.declared, names) if declared.infer_keys else ()
        is_fit = possible and why_unfit(table.key(possible), are_row_ids=are_row_ids) is None
        return possible if is_fit else ()
    key = table.declared.primary_key
    if reason := why_unfit(table.key(key), are_row_ids=are_row_ids):
        detail = f"the primary key of table {shown(table.name)} does not identify its rows: {reason}"
        raise DatasetRefused("relational_key_not_unique", detail, f"{table.declared.pointer}/primary_key")
    return key


def _declared_link(
    table: TableDeclaration, number: int, key: ForeignKey, tables: Mapping[str, ReadTable], primary: PrimaryKeys
) -> Link:
    pointer = f"{table.pointer}/foreign_keys/{number}"
    referred = primary[key.references]
    if not referred:
        detail = f"table {shown(key.references)} has no primary key to refer to; declare it"
        refuse_schema(detail, f"{pointer}/references")
    if len(referred) != len(key.columns):
        detail = f"the primary key of table {shown(key.references)} has {len(referred)} columns; name as many"
        raise DatasetRefused("relational_key_type", detail, f"{pointer}/columns")
    child, parent = tables[table.name].key(key.columns), tables[key.references].key(referred)
    if pair := differ_in_type(child, parent):
        _refuse_types(table, key, pair, pointer)
    match = match_rows(child, parent)
    if match.n_dangling and not match.n_matched:
        if look_different(child, parent):
            _refuse_types(table, key, (child[0].name, parent[0].name), pointer)
        _refuse_unknown(table, key, child, pointer)
    return Link(table.name, key.columns, key.references, match, inferred=False)


def _inferred_links(
    declared: RelationalDeclaration,
    table: TableDeclaration,
    names: Names,
    tables: Mapping[str, ReadTable],
    primary: PrimaryKeys,
) -> Iterator[Link]:
    linked: set[str] = set()
    for name, parent in _possible_references(declared, table, names, primary):
        if name in linked:
            continue
        child, key = tables[table.name].key([name]), tables[parent].key(primary[parent])
        match = match_rows(child, key)
        if not match.n_dangling and not differ_in_type(child, key):
            linked.add(name)
            yield Link(table.name, (name,), parent, match, inferred=True)


def _refuse_types(table: TableDeclaration, key: ForeignKey, pair: tuple[str, str], pointer: str) -> None:
    detail = (
        f"column {shown(pair[0])} of table {shown(table.name)} and column {shown(pair[1])} of table "
        f"{shown(key.references)}, to which it refers, are of different types; send both as numbers, or both as texts"
    )
    raise DatasetRefused("relational_key_type", detail, f"{pointer}/columns")


def _refuse_unknown(table: TableDeclaration, key: ForeignKey, child: list[KeyColumn], pointer: str) -> None:
    row = int(np.logical_and.reduce([~column.missing for column in child]).argmax())
    text = ", ".join(shown(column.values[row].as_py()) for column in child)
    detail = (
        f"none of the values of {shown(', '.join(key.columns))} in table {shown(table.name)} exists in table "
        f"{shown(key.references)}; the first is {text}"
    )
    raise DatasetRefused("relational_reference_unknown", detail, pointer)
