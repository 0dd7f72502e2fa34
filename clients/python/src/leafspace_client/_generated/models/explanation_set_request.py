from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="ExplanationSetRequest")


@_attrs_define(repr=False)
class ExplanationSetRequest(Record):
    """Which dataset to explain, and by which explainer.

    Attributes:
        explainer (str): Id of the explainer.
        dataset (str): Id of the dataset whose rows are explained.
        n_prototypes (int | Unset): Maximum number of nearest prototypes of each row. Default: 3.
        include (list[str] | Unset): Optional parts of explanations. `contrast`: the nearest prototype of another class;
            `rules`: the rules that apply, if the explainer has a rule set; `approximation_path`: the path in the
            approximation tree, if the explainer has one.
    """

    explainer: str
    dataset: str
    n_prototypes: int | Unset = 3
    include: list[str] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        explainer = self.explainer

        dataset = self.dataset

        n_prototypes = self.n_prototypes

        include: list[str] | Unset = UNSET
        if not isinstance(self.include, Unset):
            include = self.include

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "explainer": explainer,
                "dataset": dataset,
            }
        )
        if n_prototypes is not UNSET:
            field_dict["n_prototypes"] = n_prototypes
        if include is not UNSET:
            field_dict["include"] = include

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        explainer = d.pop("explainer")

        dataset = d.pop("dataset")

        n_prototypes = d.pop("n_prototypes", UNSET)

        include = cast(list[str], d.pop("include", UNSET))

        explanation_set_request = cls(
            explainer=explainer,
            dataset=dataset,
            n_prototypes=n_prototypes,
            include=include,
        )

        return explanation_set_request
