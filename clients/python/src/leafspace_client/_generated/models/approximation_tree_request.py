from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="ApproximationTreeRequest")


@_attrs_define(repr=False)
class ApproximationTreeRequest(Record):
    """Which model one tree is to stand for, and by which rows.

    Attributes:
        model (str):
        dataset (str):
        method (str | Unset): sta: Zhou & Hooker, each question chosen by a test on as many pseudo rows as it takes;
            ism: Van Assche & Blockeel, chosen among the ensemble's own questions from its class distributions, without
            pseudo rows; born_again: Breiman & Shang, CART on pseudo rows, its depth by cross-validation; cart: CART on
            pseudo rows. Default: 'sta'.
        max_depth (int | Unset): Questions on the longest way from the root to a leaf. Default: 5.
        max_leaves (int | None | Unset): The nodes that improve most are parted first; null: as many leaves as the depth
            allows, up to 1,024.
        min_samples_leaf (int | Unset): sta, ism: the dataset's rows in each leaf, at least; born_again, cart: the same
            share of the pseudo rows, so that a leaf may have fewer of the dataset's. Default: 5.
        significance (float | Unset): sta: pseudo rows are added until the other candidates' p-values sum to at most
            this. Default: 0.1.
        max_pseudo_samples (int | Unset): sta: of one node, at most; born_again, cart: of the whole tree. ism draws
            none. Default: 100000.
        repeats (int | Unset): The tree is made so many times from different pseudo rows, to tell how stable it is; the
            first is the result. Default: 1.
        stop_when_pure (bool | Unset): ism: a node whose rows all have one class in the dataset's target stays a leaf.
            Default: False.
        evaluation_dataset (None | str | Unset):
        seed (int | Unset): Draws the pseudo rows. Default: 0.
    """

    model: str
    dataset: str
    method: str | Unset = "sta"
    max_depth: int | Unset = 5
    max_leaves: int | None | Unset = UNSET
    min_samples_leaf: int | Unset = 5
    significance: float | Unset = 0.1
    max_pseudo_samples: int | Unset = 100000
    repeats: int | Unset = 1
    stop_when_pure: bool | Unset = False
    evaluation_dataset: None | str | Unset = UNSET
    seed: int | Unset = 0

    def to_dict(self) -> dict[str, Any]:
        model = self.model

        dataset = self.dataset

        method = self.method

        max_depth = self.max_depth

        max_leaves: int | None | Unset
        if isinstance(self.max_leaves, Unset):
            max_leaves = UNSET
        else:
            max_leaves = self.max_leaves

        min_samples_leaf = self.min_samples_leaf

        significance = self.significance

        max_pseudo_samples = self.max_pseudo_samples

        repeats = self.repeats

        stop_when_pure = self.stop_when_pure

        evaluation_dataset: None | str | Unset
        if isinstance(self.evaluation_dataset, Unset):
            evaluation_dataset = UNSET
        else:
            evaluation_dataset = self.evaluation_dataset

        seed = self.seed

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "model": model,
                "dataset": dataset,
            }
        )
        if method is not UNSET:
            field_dict["method"] = method
        if max_depth is not UNSET:
            field_dict["max_depth"] = max_depth
        if max_leaves is not UNSET:
            field_dict["max_leaves"] = max_leaves
        if min_samples_leaf is not UNSET:
            field_dict["min_samples_leaf"] = min_samples_leaf
        if significance is not UNSET:
            field_dict["significance"] = significance
        if max_pseudo_samples is not UNSET:
            field_dict["max_pseudo_samples"] = max_pseudo_samples
        if repeats is not UNSET:
            field_dict["repeats"] = repeats
        if stop_when_pure is not UNSET:
            field_dict["stop_when_pure"] = stop_when_pure
        if evaluation_dataset is not UNSET:
            field_dict["evaluation_dataset"] = evaluation_dataset
        if seed is not UNSET:
            field_dict["seed"] = seed

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        model = d.pop("model")

        dataset = d.pop("dataset")

        method = d.pop("method", UNSET)

        max_depth = d.pop("max_depth", UNSET)

        def _parse_max_leaves(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        max_leaves = _parse_max_leaves(d.pop("max_leaves", UNSET))

        min_samples_leaf = d.pop("min_samples_leaf", UNSET)

        significance = d.pop("significance", UNSET)

        max_pseudo_samples = d.pop("max_pseudo_samples", UNSET)

        repeats = d.pop("repeats", UNSET)

        stop_when_pure = d.pop("stop_when_pure", UNSET)

        def _parse_evaluation_dataset(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        evaluation_dataset = _parse_evaluation_dataset(d.pop("evaluation_dataset", UNSET))

        seed = d.pop("seed", UNSET)

        approximation_tree_request = cls(
            model=model,
            dataset=dataset,
            method=method,
            max_depth=max_depth,
            max_leaves=max_leaves,
            min_samples_leaf=min_samples_leaf,
            significance=significance,
            max_pseudo_samples=max_pseudo_samples,
            repeats=repeats,
            stop_when_pure=stop_when_pure,
            evaluation_dataset=evaluation_dataset,
            seed=seed,
        )

        return approximation_tree_request
