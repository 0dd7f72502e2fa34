from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="Restart")


@_attrs_define(repr=False)
class Restart(Record):
    """The outcome of one fit from a random start.

    Attributes:
        restart (int): 0-based number of the fit.
        start (str): What it began with.
        n_regions (int): Number of regions that are left at its end.
        n_iterations (int): Number of iterations.
        lower_bound (float): Lower bound of the log-likelihood at its end (`em`: the log-likelihood itself).
        training_error (float): Error of the two-step prediction on the training rows: share of wrong labels, or mean
            squared error for regression.
        chosen (bool): Whether the rules were made from this fit.
    """

    restart: int
    start: str
    n_regions: int
    n_iterations: int
    lower_bound: float
    training_error: float
    chosen: bool

    def to_dict(self) -> dict[str, Any]:
        restart = self.restart

        start = self.start

        n_regions = self.n_regions

        n_iterations = self.n_iterations

        lower_bound = self.lower_bound

        training_error = self.training_error

        chosen = self.chosen

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "restart": restart,
                "start": start,
                "n_regions": n_regions,
                "n_iterations": n_iterations,
                "lower_bound": lower_bound,
                "training_error": training_error,
                "chosen": chosen,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        restart = d.pop("restart")

        start = d.pop("start")

        n_regions = d.pop("n_regions")

        n_iterations = d.pop("n_iterations")

        lower_bound = d.pop("lower_bound")

        training_error = d.pop("training_error")

        chosen = d.pop("chosen")

        restart = cls(
            restart=restart,
            start=start,
            n_regions=n_regions,
            n_iterations=n_iterations,
            lower_bound=lower_bound,
            training_error=training_error,
            chosen=chosen,
        )

        return restart
