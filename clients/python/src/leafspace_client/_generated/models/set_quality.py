from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

if TYPE_CHECKING:
    from ..models.class_quality import ClassQuality


T = TypeVar("T", bound="SetQuality")


@_attrs_define(repr=False)
class SetQuality(Record):
    """The measures of all prototypes together, each 0 to 1; null where there is nothing to take a share or a mean of.

    Measured on the rows that `evaluated_on` names; rows that prototypes were chosen from count as rows themselves.

        Attributes:
            n_rows (int): Number of rows that were measured.
            labels (None | str): Source of the rows' classes: as in the request, but `predicted` where `evaluation_dataset`
                has no target; null for regression, where one class holds all rows.
            coverage (float): Share of rows that are covered, 0 to 1: they share a leaf with a prototype of their class.
            voting_frequency (float): Share of rows that vote, 0 to 1: they share a leaf with any prototype.
            consistent_votes (float | None): Share of votes that go to a prototype of the row's class, 0 to 1; null for
                regression.
            hubness_entropy (float | None): Mean of the classes' hubness entropies: 1 if prototypes are used evenly, 0 if
                there are only hubs; null if no class has one.
            in_class_similarity (float | None): Mean over the prototypes of their proximity to rows of their class, 0 to 1.
            out_of_class_similarity (float | None): Mean over the prototypes of their proximity to rows of other classes, 0
                to 1; null for regression.
            mean_distance (float): Mean over the rows of 1 - proximity to the nearest prototype, which is 1 for a row that
                shares no leaf with any.
            distance_deviation (float): Standard deviation of those distances over the rows.
            by_class (list[ClassQuality]): The measures of each class, in the order of `classes`.
    """

    n_rows: int
    labels: None | str
    coverage: float
    voting_frequency: float
    consistent_votes: float | None
    hubness_entropy: float | None
    in_class_similarity: float | None
    out_of_class_similarity: float | None
    mean_distance: float
    distance_deviation: float
    by_class: list[ClassQuality]

    def to_dict(self) -> dict[str, Any]:
        n_rows = self.n_rows

        labels: None | str
        labels = self.labels

        coverage = self.coverage

        voting_frequency = self.voting_frequency

        consistent_votes: float | None
        consistent_votes = self.consistent_votes

        hubness_entropy: float | None
        hubness_entropy = self.hubness_entropy

        in_class_similarity: float | None
        in_class_similarity = self.in_class_similarity

        out_of_class_similarity: float | None
        out_of_class_similarity = self.out_of_class_similarity

        mean_distance = self.mean_distance

        distance_deviation = self.distance_deviation

        by_class = []
        for by_class_item_data in self.by_class:
            by_class_item = by_class_item_data.to_dict()
            by_class.append(by_class_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "n_rows": n_rows,
                "labels": labels,
                "coverage": coverage,
                "voting_frequency": voting_frequency,
                "consistent_votes": consistent_votes,
                "hubness_entropy": hubness_entropy,
                "in_class_similarity": in_class_similarity,
                "out_of_class_similarity": out_of_class_similarity,
                "mean_distance": mean_distance,
                "distance_deviation": distance_deviation,
                "by_class": by_class,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.class_quality import ClassQuality  # noqa: PLC0415

        d = dict(src_dict)
        n_rows = d.pop("n_rows")

        def _parse_labels(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        labels = _parse_labels(d.pop("labels"))

        coverage = d.pop("coverage")

        voting_frequency = d.pop("voting_frequency")

        def _parse_consistent_votes(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        consistent_votes = _parse_consistent_votes(d.pop("consistent_votes"))

        def _parse_hubness_entropy(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        hubness_entropy = _parse_hubness_entropy(d.pop("hubness_entropy"))

        def _parse_in_class_similarity(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        in_class_similarity = _parse_in_class_similarity(d.pop("in_class_similarity"))

        def _parse_out_of_class_similarity(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        out_of_class_similarity = _parse_out_of_class_similarity(d.pop("out_of_class_similarity"))

        mean_distance = d.pop("mean_distance")

        distance_deviation = d.pop("distance_deviation")

        by_class = []
        _by_class = d.pop("by_class")
        for by_class_item_data in _by_class:
            by_class_item = ClassQuality.from_dict(by_class_item_data)

            by_class.append(by_class_item)

        set_quality = cls(
            n_rows=n_rows,
            labels=labels,
            coverage=coverage,
            voting_frequency=voting_frequency,
            consistent_votes=consistent_votes,
            hubness_entropy=hubness_entropy,
            in_class_similarity=in_class_similarity,
            out_of_class_similarity=out_of_class_similarity,
            mean_distance=mean_distance,
            distance_deviation=distance_deviation,
            by_class=by_class,
        )

        return set_quality
