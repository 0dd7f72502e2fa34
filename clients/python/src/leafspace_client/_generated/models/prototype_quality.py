from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="PrototypeQuality")


@_attrs_define(repr=False)
class PrototypeQuality(Record):
    """One prototype's measures, each 0 to 1; null where there is nothing to take a share or a mean of.

    A row votes for its nearest prototype of all, and is covered by its nearest prototype of its own class; ties go to
    the earlier prototype. A row that shares no leaf with any of them votes for none, or is covered by none.

        Attributes:
            coverage (float | None): Share of the rows of its class that it covers, 0 to 1; null if its class has no rows.
            voting_frequency (float): Share of all rows that vote for it, 0 to 1; 0 for a prototype that is nearest to no
                row.
            consistent_votes (float | None): Share of its votes that come from rows of its class, 0 to 1; null for
                regression or without votes.
            vote_entropy (float | None): Normalised entropy of its votes over the classes: 0 if all come from one class, 1
                if all classes vote alike; null for regression or without votes.
            in_class_similarity (float | None): Mean proximity to the rows of its class, 0 to 1; null if its class has no
                rows.
            out_of_class_similarity (float | None): Mean proximity to all other rows, 0 to 1: the smaller, the more typical
                of its class; null for regression.
            mean_distance (float | None): Mean of 1 - proximity to the rows that vote for it, 0 to 1; null without votes.
            distance_deviation (float | None): Standard deviation of the distances to the rows that vote for it; null
                without votes.
    """

    coverage: float | None
    voting_frequency: float
    consistent_votes: float | None
    vote_entropy: float | None
    in_class_similarity: float | None
    out_of_class_similarity: float | None
    mean_distance: float | None
    distance_deviation: float | None

    def to_dict(self) -> dict[str, Any]:
        coverage: float | None
        coverage = self.coverage

        voting_frequency = self.voting_frequency

        consistent_votes: float | None
        consistent_votes = self.consistent_votes

        vote_entropy: float | None
        vote_entropy = self.vote_entropy

        in_class_similarity: float | None
        in_class_similarity = self.in_class_similarity

        out_of_class_similarity: float | None
        out_of_class_similarity = self.out_of_class_similarity

        mean_distance: float | None
        mean_distance = self.mean_distance

        distance_deviation: float | None
        distance_deviation = self.distance_deviation

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "coverage": coverage,
                "voting_frequency": voting_frequency,
                "consistent_votes": consistent_votes,
                "vote_entropy": vote_entropy,
                "in_class_similarity": in_class_similarity,
                "out_of_class_similarity": out_of_class_similarity,
                "mean_distance": mean_distance,
                "distance_deviation": distance_deviation,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_coverage(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        coverage = _parse_coverage(d.pop("coverage"))

        voting_frequency = d.pop("voting_frequency")

        def _parse_consistent_votes(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        consistent_votes = _parse_consistent_votes(d.pop("consistent_votes"))

        def _parse_vote_entropy(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        vote_entropy = _parse_vote_entropy(d.pop("vote_entropy"))

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

        def _parse_mean_distance(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        mean_distance = _parse_mean_distance(d.pop("mean_distance"))

        def _parse_distance_deviation(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        distance_deviation = _parse_distance_deviation(d.pop("distance_deviation"))

        prototype_quality = cls(
            coverage=coverage,
            voting_frequency=voting_frequency,
            consistent_votes=consistent_votes,
            vote_entropy=vote_entropy,
            in_class_similarity=in_class_similarity,
            out_of_class_similarity=out_of_class_similarity,
            mean_distance=mean_distance,
            distance_deviation=distance_deviation,
        )

        return prototype_quality
