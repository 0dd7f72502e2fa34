from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="Restart")


@_attrs_define(repr=False)
class Restart(Record):
    """The outcome of one fit from a random start.

    Attributes:
        restart (int): 0-based number of the fit.
        n_regions (int): Number of regions that are left at its end.
        n_iterations (int): Number of iterations.
        lower_bound (float): Lower bound of the log-likelihood at its end (`em`: the log-likelihood itself).
        training_error (float): Error of the two-step prediction on the training rows: share of wrong labels, or mean
            squared error for regression.
        chosen (bool): Whether the rules were made from this fit.
        start (None | str | Unset): What it began with; null in rule sets that were made before there was a choice.
    """

    restart: int
    n_regions: int
    n_iterations: int
    lower_bound: float
    training_error: float
    chosen: bool
    start: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        restart = self.restart

        n_regions = self.n_regions

        n_iterations = self.n_iterations

        lower_bound = self.lower_bound

        training_error = self.training_error

        chosen = self.chosen

        start: None | str | Unset
        if isinstance(self.start, Unset):
            start = UNSET
        else:
            start = self.start

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "restart": restart,
                "n_regions": n_regions,
                "n_iterations": n_iterations,
                "lower_bound": lower_bound,
                "training_error": training_error,
                "chosen": chosen,
            }
        )
        if start is not UNSET:
            field_dict["start"] = start

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        restart = d.pop("restart")

        n_regions = d.pop("n_regions")

        n_iterations = d.pop("n_iterations")

        lower_bound = d.pop("lower_bound")

        training_error = d.pop("training_error")

        chosen = d.pop("chosen")

        def _parse_start(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        start = _parse_start(d.pop("start", UNSET))

        restart = cls(
            restart=restart,
            n_regions=n_regions,
            n_iterations=n_iterations,
            lower_bound=lower_bound,
            training_error=training_error,
            chosen=chosen,
            start=start,
        )

        return restart
