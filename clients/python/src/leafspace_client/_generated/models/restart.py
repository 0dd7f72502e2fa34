from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="Restart")


@_attrs_define(repr=False)
class Restart(Record):
    """What came of one start: random ones, and with `search: improved` a last one where the rules put the rows.

    Attributes:
        restart (int): 0-based.
        n_regions (int):
        n_iterations (int):
        lower_bound (float): Of the log-likelihood, at its end (em: the log-likelihood itself).
        training_error (float): Of the two-step prediction; mean squared error for regression.
        chosen (bool):
    """

    restart: int
    n_regions: int
    n_iterations: int
    lower_bound: float
    training_error: float
    chosen: bool

    def to_dict(self) -> dict[str, Any]:
        restart = self.restart

        n_regions = self.n_regions

        n_iterations = self.n_iterations

        lower_bound = self.lower_bound

        training_error = self.training_error

        chosen = self.chosen

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

        restart = cls(
            restart=restart,
            n_regions=n_regions,
            n_iterations=n_iterations,
            lower_bound=lower_bound,
            training_error=training_error,
            chosen=chosen,
        )

        return restart
