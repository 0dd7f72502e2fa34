"""Keys by shared columns: a column that several tables have, and whose values tell the rows of one of them apart.

Nine tables of genes need no declaration: each has a column ``gene``, which is unique in one of them and holds no other
genes in the rest. Where two tables, or two columns of one, are as good, nothing is inferred, and the doubt is reported.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from .declaration import RelationalDeclaration
from .key_columns import KeyColumn, differ_in_type, match_rows, why_unfit
from .keys import Link, PrimaryKeys, used_otherwise
from .table_files import ReadTable

Tables = Mapping[str, ReadTable]
Column = tuple[str, str]  # a table and one of its columns
_Group = dict[str, str]  # columns of one name, by table

_NUMBERS_OF_ROWS = frozenset({"", "id", "index", "key", "line", "no", "nr", "number", "row", "row_id", "unnamed: 0"})
"""Names, in small letters, of columns that count the rows of any table: equal ones do not refer to each other."""

_DANGLING_TO_MATCHED = 1.0
"""Rows whose text names no row of the other table, at most, to those that do.

Numbers agree by chance: all of them must be there.
"""

_MOST_GROUPS, _MOST_PARENTS = 16, 4
"""Columns of one name, those of the most tables, and tables of unique values of each, those with the most rows.

Each is matched with all tables, so that more would take minutes where all columns are unique.
"""
_NAMED_COLUMNS = 5  # in a doubt


@dataclass(frozen=True, slots=True)
class KeyDoubt:
    """Columns of a table that may be a key, and why none was inferred."""

    table: str
    columns: tuple[str, ...]
    detail: str


@dataclass(slots=True)
class SharedKeys:
    """Keys that were inferred from shared columns, and doubts where none was."""

    primary: dict[str, tuple[str, ...]] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    doubts: list[KeyDoubt] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SharedColumns:
    """Columns that tables share, where they tell the rows of one table apart as far as the first reading shows."""

    groups: tuple[_Group, ...]
    unique: frozenset[Column]

    @classmethod
    def of(cls, declared: RelationalDeclaration, tables: Tables) -> "SharedColumns":
        """Return those of all tables, which were read with numbers as numbers."""
        groups, unique = list[_Group](), set[Column]()
        for group in sorted(_groups(declared, tables), key=len, reverse=True):
            of_group = {(table, name) for table, name in group.items() if tables[table].may_identify_rows(name)}
            if of_group and len(groups) < _MOST_GROUPS:
                groups.append(group)
                unique |= of_group
        return cls(tuple(groups), frozenset(unique))

    def of_table(self, table: str) -> set[str]:
        """Return the names of a table's columns among them."""
        return {group[table] for group in self.groups if table in group}


class SharedKeyInference:
    """The search for keys among shared columns, beside those that are declared or called as keys usually are."""

    def __init__(
        self, declared: RelationalDeclaration, tables: Tables, primary: PrimaryKeys, links: Sequence[Link]
    ) -> None:
        """Take what is known so far.

        Parameters
        ----------
        declared
            What the metadata say of all tables.
        tables
            All tables by name; shared columns were read as texts.
        primary
            Primary keys so far. One that is neither declared nor referred to gives way to a shared column.
        links
            Foreign keys so far.
        """
        self._examples, self._tables, self._primary = declared.examples, tables, primary
        self._fixed = {link.parent for link in links}
        self._fixed |= {table.name for table in declared.tables if table.primary_key is not None}
        self._taken = {(link.child, link.columns[0]) for link in links if len(link.columns) == 1}
        self._joined = {frozenset((link.child, link.parent)) for link in links}
        self._keys: dict[Column, KeyColumn] = {}
        self._links: dict[tuple[Column, Column], Link | None] = {}
        self._doubts: dict[frozenset[str], KeyDoubt] = {}

    def keys_among(self, shared: SharedColumns) -> SharedKeys:
        """Return the keys that can be inferred from shared columns, and the doubts."""
        referring: dict[str, dict[str, list[Link]]] = {name: defaultdict(list) for name in self._tables}
        for group in shared.groups:
            for link in self._links_of(group, shared.unique):
                referring[link.parent][group[link.parent]].append(link)
        inferred = SharedKeys()
        for table, by_column in referring.items():
            if (column := self._best(table, by_column)) is not None:
                inferred.primary[table] = (column,)
                inferred.links += by_column[column]
        inferred.doubts += self._doubts.values()
        return inferred

    def _links_of(self, group: _Group, unique: Collection[Column]) -> Iterator[Link]:
        """Yield the foreign keys among columns of one name."""
        parents = self._parents(group, unique)
        for child, name in group.items():
            if (child, name) in self._taken:
                continue
            links = self._links_from(child, parents, group)
            first = next((link for link in links if self._is_first(link, links, group)), None)
            if first is not None and (child not in parents or self._refers(group, child, first.parent)):
                yield first
            elif links:
                self._doubt_parents((child, name), sorted(link.parent for link in links))

    def _parents(self, group: _Group, unique: Collection[Column]) -> list[str]:
        """Return the tables that a column may identify the rows of: the examples, then those with the most rows."""
        fit = [table for table, name in group.items() if (table, name) in unique and self._is_fit((table, name))]
        fit.sort(key=lambda table: (table != self._examples, -self._tables[table].n_rows))
        return fit[:_MOST_PARENTS]

    def _links_from(self, child: str, parents: Sequence[str], group: _Group) -> list[Link]:
        """Return the links from a table, all without dangling rows or none; to the examples alone if that is one."""
        links: list[Link] = []
        for parent in parents:
            link = None if parent == child else self._link((child, group[child]), (parent, group[parent]))
            if link is None or (child in parents and self._refers(group, parent, child)):
                continue
            if parent == self._examples and link.match.n_dangling == 0:
                return [link]
            links.append(link)
        return [link for link in links if link.match.n_dangling == 0] or links

    def _is_first(self, link: Link, links: Sequence[Link], group: _Group) -> bool:
        """Return whether a link is to the examples, or the tables of all other links refer to its own in turn."""
        others = [other.parent for other in links if other is not link]
        return link.parent == self._examples or all(self._refers(group, other, link.parent) for other in others)

    def _refers(self, group: _Group, child: str, parent: str) -> bool:
        """Return whether one of two tables with unique values refers to the other, rather than the other way round.

        Fewer of its values are lacking in the other table; or none, and the other has the examples.
        """
        there = self._link((child, group[child]), (parent, group[parent]))
        back = self._link((parent, group[parent]), (child, group[child]))
        return self._order(there) < self._order(back)

    def _order(self, link: Link | None) -> tuple[float, bool]:
        return (np.inf, True) if link is None else (link.match.n_dangling, link.parent != self._examples)

    def _is_fit(self, column: Column) -> bool:
        """Return whether a column may be the primary key of its table."""
        table, name = column
        if table in self._fixed and self._primary[table] != (name,):
            return False
        return why_unfit([self._key(column)], are_row_ids=table == self._examples) is None

    def _link(self, child: Column, parent: Column) -> Link | None:
        """Return the link from a column to another one, if enough of its values are there."""
        if (child, parent) not in self._links:
            self._links[child, parent] = self._new_link(child, parent)
        return self._links[child, parent]

    def _new_link(self, child: Column, parent: Column) -> Link | None:
        if child[0] == parent[0] or frozenset((child[0], parent[0])) in self._joined:
            return None
        key, parent_key = self._key(child), self._key(parent)
        if key.natural_type == "boolean" or differ_in_type([key], [parent_key]):
            return None
        match = match_rows([key], [parent_key])
        may_dangle = 0 if key.spells_numbers else match.n_matched * _DANGLING_TO_MATCHED
        is_empty = len(key.values) > 0 and match.n_matched == 0
        if is_empty or match.n_dangling > may_dangle:
            return None
        return Link(child[0], (child[1],), parent[0], match, inferred=True)

    def _best(self, table: str, by_column: Mapping[str, Sequence[Link]]) -> str | None:
        """Return the column that leads all tables here that any column leads; ``None`` if there is no such one.

        Two columns that lead the same tables are a doubt.
        """
        children = {column: {link.child for link in links} for column, links in by_column.items()}
        best = [column for column, of_column in children.items() if of_column == set(chain(*children.values()))]
        if len(best) != 1 and children:
            self._doubt_columns(table, list(children))
        return best[0] if len(best) == 1 else None

    def _key(self, column: Column) -> KeyColumn:
        if column not in self._keys:
            self._keys[column] = self._tables[column[0]].key([column[1]])[0]
        return self._keys[column]

    def _doubt_parents(self, child: Column, parents: Sequence[str]) -> None:
        table, column = child
        if parents:
            detail = (
                f"column {column} of table {table} may refer to {' or '.join(parents)}, each of whose rows has another "
                "value there: no key was inferred; declare a foreign key"
            )
            self._doubts.setdefault(frozenset({table, *parents}), KeyDoubt(table, (column,), detail))

    def _doubt_columns(self, table: str, columns: Sequence[str]) -> None:
        some = ", ".join(columns[:_NAMED_COLUMNS]) + (", …" if len(columns) > _NAMED_COLUMNS else "")
        detail = (
            f"other tables share {some} with table {table}, each of whose rows has another value in each of them: no "
            "key was inferred; declare one of them as the primary key"
        )
        self._doubts[frozenset({table, *columns})] = KeyDoubt(table, tuple(columns), detail)


def _groups(declared: RelationalDeclaration, tables: Tables) -> Iterator[_Group]:
    """Yield columns of one name, however it is written, that two tables at least have.

    Where a table has two names that differ in capital letters alone, all tables have to write them alike.
    """
    names = {
        table.name: [name for name in table.uploaded.names if _may_refer(declared, table, name)]
        for table in tables.values()
    }
    alike = set[str]()
    for of_table in names.values():
        folded = [name.casefold() for name in of_table]
        alike |= {name for name in folded if folded.count(name) > 1}
    groups: dict[str, _Group] = defaultdict(dict)
    for table, of_table in names.items():
        for name in of_table:
            groups[name if name.casefold() in alike else name.casefold()][table] = name
    return (group for group in groups.values() if len(group) > 1)


def _may_refer(declared: RelationalDeclaration, table: ReadTable, name: str) -> bool:
    return name.casefold() not in _NUMBERS_OF_ROWS and name not in used_otherwise(declared, table.declared)
