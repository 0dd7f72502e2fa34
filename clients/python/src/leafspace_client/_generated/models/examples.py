from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="Examples")


@_attrs_define(repr=False)
class Examples(Record):
    """Which rows are the examples, how many, and what is to be predicted of them.

    Attributes:
        table (str): Name of their table.
        target (None | str): Name of the column to predict; null: none.
        cutoff (None | str): Name of the column with the moment of the prediction; null: none.
        n (int): Number of examples.
        n_labelled (int): Number of examples with a value of the target; 0 without a target.
        classes (list[str] | None): Distinct labels, in numeric order if all are numbers, else in alphabetical order.
            Null without a target, and where it holds more than 1,000 different numbers, which are values of a regression.
    """

    table: str
    target: None | str
    cutoff: None | str
    n: int
    n_labelled: int
    classes: list[str] | None

    def to_dict(self) -> dict[str, Any]:
        table = self.table

        target: None | str
        target = self.target

        cutoff: None | str
        cutoff = self.cutoff

        n = self.n

        n_labelled = self.n_labelled

        classes: list[str] | None
        if isinstance(self.classes, list):
            classes = self.classes

        else:
            classes = self.classes

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "table": table,
                "target": target,
                "cutoff": cutoff,
                "n": n,
                "n_labelled": n_labelled,
                "classes": classes,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        table = d.pop("table")

        def _parse_target(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        target = _parse_target(d.pop("target"))

        def _parse_cutoff(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        cutoff = _parse_cutoff(d.pop("cutoff"))

        n = d.pop("n")

        n_labelled = d.pop("n_labelled")

        def _parse_classes(data: object) -> list[str] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                classes_type_0 = cast(list[str], data)

                return classes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None, data)

        classes = _parse_classes(d.pop("classes"))

        examples = cls(
            table=table,
            target=target,
            cutoff=cutoff,
            n=n,
            n_labelled=n_labelled,
            classes=classes,
        )

        return examples
