from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="InTreesOptions")


@_attrs_define(repr=False)
class InTreesOptions(Record):
    """Settings of inTrees; the defaults are those of its author's program.

    Attributes:
        n_trees (int | Unset): Number of trees whose paths are taken: the first ones. Default: 100.
        max_depth (int | Unset): Maximum number of splits on a path; deeper ones are cut off there. Default: 6.
        decay (str | Unset): How `max_decay` is counted: `absolute`: as a share of the rule's rows; `relative`: as a
            share of the error of the whole path, as in the paper. Default: 'absolute'.
        max_decay (float | Unset): How much the share of a rule's rows of other classes may grow where conditions are
            dropped. Default: 0.05.
        selection (str | Unset): How rules are selected before they are put in order: by a regularised random forest,
            which avoids rules that say the same, or not at all. Default: 'regularized_forest'.
        min_frequency (float | Unset): Minimum share of the dataset's rows that a rule decides. Default: 0.01.
        n_levels (int | Unset): Number of levels of as many rows each into which the values of a regression are divided;
            a rule predicts the mean of its level. Default: 3.
    """

    n_trees: int | Unset = 100
    max_depth: int | Unset = 6
    decay: str | Unset = "absolute"
    max_decay: float | Unset = 0.05
    selection: str | Unset = "regularized_forest"
    min_frequency: float | Unset = 0.01
    n_levels: int | Unset = 3

    def to_dict(self) -> dict[str, Any]:
        n_trees = self.n_trees

        max_depth = self.max_depth

        decay = self.decay

        max_decay = self.max_decay

        selection = self.selection

        min_frequency = self.min_frequency

        n_levels = self.n_levels

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if n_trees is not UNSET:
            field_dict["n_trees"] = n_trees
        if max_depth is not UNSET:
            field_dict["max_depth"] = max_depth
        if decay is not UNSET:
            field_dict["decay"] = decay
        if max_decay is not UNSET:
            field_dict["max_decay"] = max_decay
        if selection is not UNSET:
            field_dict["selection"] = selection
        if min_frequency is not UNSET:
            field_dict["min_frequency"] = min_frequency
        if n_levels is not UNSET:
            field_dict["n_levels"] = n_levels

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        n_trees = d.pop("n_trees", UNSET)

        max_depth = d.pop("max_depth", UNSET)

        decay = d.pop("decay", UNSET)

        max_decay = d.pop("max_decay", UNSET)

        selection = d.pop("selection", UNSET)

        min_frequency = d.pop("min_frequency", UNSET)

        n_levels = d.pop("n_levels", UNSET)

        in_trees_options = cls(
            n_trees=n_trees,
            max_depth=max_depth,
            decay=decay,
            max_decay=max_decay,
            selection=selection,
            min_frequency=min_frequency,
            n_levels=n_levels,
        )

        return in_trees_options
