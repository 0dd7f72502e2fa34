from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

if TYPE_CHECKING:
    from ..models.forest_scores import ForestScores


T = TypeVar("T", bound="ForestEvaluation")


@_attrs_define(repr=False)
class ForestEvaluation(Record):
    """How well a forest predicts, and how large it is.

    Attributes:
        out_of_bag (ForestScores | None): Scores where each example is predicted by the trees whose bootstrap samples
            lack it, among the examples that some sample lacks; null for `tilde` and where there are none.
        training (ForestScores): How well predictions match the targets.
        n_nodes (int): Number of tests of all trees.
        n_leaves (int): Number of leaves of all trees.
    """

    out_of_bag: ForestScores | None
    training: ForestScores
    n_nodes: int
    n_leaves: int

    def to_dict(self) -> dict[str, Any]:
        from ..models.forest_scores import ForestScores  # noqa: PLC0415

        out_of_bag: dict[str, Any] | None
        if isinstance(self.out_of_bag, ForestScores):
            out_of_bag = self.out_of_bag.to_dict()
        else:
            out_of_bag = self.out_of_bag

        training = self.training.to_dict()

        n_nodes = self.n_nodes

        n_leaves = self.n_leaves

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "out_of_bag": out_of_bag,
                "training": training,
                "n_nodes": n_nodes,
                "n_leaves": n_leaves,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.forest_scores import ForestScores  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_out_of_bag(data: object) -> ForestScores | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                out_of_bag_type_0 = ForestScores.from_dict(data)

                return out_of_bag_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ForestScores | None, data)

        out_of_bag = _parse_out_of_bag(d.pop("out_of_bag"))

        training = ForestScores.from_dict(d.pop("training"))

        n_nodes = d.pop("n_nodes")

        n_leaves = d.pop("n_leaves")

        forest_evaluation = cls(
            out_of_bag=out_of_bag,
            training=training,
            n_nodes=n_nodes,
            n_leaves=n_leaves,
        )

        return forest_evaluation
