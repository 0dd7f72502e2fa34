from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="Question")


@_attrs_define(repr=False)
class Question(Record):
    """The feature to ask for next: its value decides all splits on this feature.

    Attributes:
        node (int): Id of the node that tests the feature.
        feature (str): Name of the raw feature.
        column (str): Name to use in `answers`: `feature` itself, except for one-hot columns that belong together, where
            the answer is 1 or true if the feature is `value`, else 0.
        type_ (str): Type of the answer: a boolean is true or false, or 1 or 0.
        text (str): Condition of the node as an English phrase.
        operator (str): Comparison of the node; see `operator` of the tree's nodes.
        value (float | list[str] | None | str): Value to compare with: a list with `is one of`; null with `is missing`.
        or_missing (bool): Whether a missing value satisfies the condition, too.
        categories (list[str]): Categories that the tree mentions; all others have the same effect as each other. Empty
            for numbers.
        question (None | str | Unset): Condition as a question of its own; null where `text` serves as one.
    """

    node: int
    feature: str
    column: str
    type_: str
    text: str
    operator: str
    value: float | list[str] | None | str
    or_missing: bool
    categories: list[str]
    question: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        node = self.node

        feature = self.feature

        column = self.column

        type_ = self.type_

        text = self.text

        operator = self.operator

        value: float | list[str] | None | str
        if isinstance(self.value, list):
            value = self.value

        else:
            value = self.value

        or_missing = self.or_missing

        categories = self.categories

        question: None | str | Unset
        if isinstance(self.question, Unset):
            question = UNSET
        else:
            question = self.question

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "node": node,
                "feature": feature,
                "column": column,
                "type": type_,
                "text": text,
                "operator": operator,
                "value": value,
                "or_missing": or_missing,
                "categories": categories,
            }
        )
        if question is not UNSET:
            field_dict["question"] = question

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        node = d.pop("node")

        feature = d.pop("feature")

        column = d.pop("column")

        type_ = d.pop("type")

        text = d.pop("text")

        operator = d.pop("operator")

        def _parse_value(data: object) -> float | list[str] | None | str:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                componentsschemas_condition_value_type_2 = cast(list[str], data)

                return componentsschemas_condition_value_type_2
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(float | list[str] | None | str, data)

        value = _parse_value(d.pop("value"))

        or_missing = d.pop("or_missing")

        categories = cast(list[str], d.pop("categories"))

        def _parse_question(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        question = _parse_question(d.pop("question", UNSET))

        question = cls(
            node=node,
            feature=feature,
            column=column,
            type_=type_,
            text=text,
            operator=operator,
            value=value,
            or_missing=or_missing,
            categories=categories,
            question=question,
        )

        return question
