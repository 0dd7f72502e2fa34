from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="Relationship")


@_attrs_define(repr=False)
class Relationship(Record):
    """A foreign key, followed both ways: to the row that it names, and back to the rows that name it.

    Attributes:
        name (str): Name of the relationship: `<child>.<columns>`, the columns parted by commas.
        from_ (str): Name of the table with the foreign key: the child.
        to (str): Name of the table whose rows it names: the parent.
        columns (list[str]): Columns of the foreign key.
        n_dangling (int): Number of rows of the child whose key names no row of the parent.
        n_without (int): Number of rows of the parent that no row of the child names.
        mean_rows (float): Mean number of rows of the child that name a row of the parent; 0 if the parent is empty.
        max_rows (int): Largest number of rows of the child that name the same row of the parent.
        inferred (bool): Whether it was inferred from names and values rather than declared.
    """

    name: str
    from_: str
    to: str
    columns: list[str]
    n_dangling: int
    n_without: int
    mean_rows: float
    max_rows: int
    inferred: bool

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        from_ = self.from_

        to = self.to

        columns = self.columns

        n_dangling = self.n_dangling

        n_without = self.n_without

        mean_rows = self.mean_rows

        max_rows = self.max_rows

        inferred = self.inferred

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "from": from_,
                "to": to,
                "columns": columns,
                "n_dangling": n_dangling,
                "n_without": n_without,
                "mean_rows": mean_rows,
                "max_rows": max_rows,
                "inferred": inferred,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        from_ = d.pop("from")

        to = d.pop("to")

        columns = cast(list[str], d.pop("columns"))

        n_dangling = d.pop("n_dangling")

        n_without = d.pop("n_without")

        mean_rows = d.pop("mean_rows")

        max_rows = d.pop("max_rows")

        inferred = d.pop("inferred")

        relationship = cls(
            name=name,
            from_=from_,
            to=to,
            columns=columns,
            n_dangling=n_dangling,
            n_without=n_without,
            mean_rows=mean_rows,
            max_rows=max_rows,
            inferred=inferred,
        )

        return relationship
