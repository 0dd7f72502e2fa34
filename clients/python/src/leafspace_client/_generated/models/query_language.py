from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.query_language_tables import QueryLanguageTables


T = TypeVar("T", bound="QueryLanguage")


@_attrs_define(repr=False)
class QueryLanguage(Record):
    """Which queries a forest's trees may use; everything that the schema allows by default.

    Columns of parents count as a row's own, up to three relationships away.

        Attributes:
            max_variables (int | Unset): Maximum number of rows of other tables in one query. Default: 3.
            through_examples (bool | Unset): Whether relationships may be followed to the examples' table again; refused
                where examples have a cutoff and their table no `time`, as the columns of other examples may hold what became
                known later. Default: False.
            tables (QueryLanguageTables | Unset): Narrower languages by table; other tables have the whole one.
            relationships (list[str] | None | Unset): Names of the relationships that are followed; null: all.
    """

    max_variables: int | Unset = 3
    through_examples: bool | Unset = False
    tables: QueryLanguageTables | Unset = UNSET
    relationships: list[str] | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        max_variables = self.max_variables

        through_examples = self.through_examples

        tables: dict[str, Any] | Unset = UNSET
        if not isinstance(self.tables, Unset):
            tables = self.tables.to_dict()

        relationships: list[str] | None | Unset
        if isinstance(self.relationships, Unset):
            relationships = UNSET
        elif isinstance(self.relationships, list):
            relationships = self.relationships

        else:
            relationships = self.relationships

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if max_variables is not UNSET:
            field_dict["max_variables"] = max_variables
        if through_examples is not UNSET:
            field_dict["through_examples"] = through_examples
        if tables is not UNSET:
            field_dict["tables"] = tables
        if relationships is not UNSET:
            field_dict["relationships"] = relationships

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.query_language_tables import QueryLanguageTables  # noqa: PLC0415

        d = dict(src_dict)
        max_variables = d.pop("max_variables", UNSET)

        through_examples = d.pop("through_examples", UNSET)

        _tables = d.pop("tables", UNSET)
        tables: QueryLanguageTables | Unset
        if isinstance(_tables, Unset):
            tables = UNSET
        else:
            tables = QueryLanguageTables.from_dict(_tables)

        def _parse_relationships(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                relationships_type_0 = cast(list[str], data)

                return relationships_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        relationships = _parse_relationships(d.pop("relationships", UNSET))

        query_language = cls(
            max_variables=max_variables,
            through_examples=through_examples,
            tables=tables,
            relationships=relationships,
        )

        return query_language
