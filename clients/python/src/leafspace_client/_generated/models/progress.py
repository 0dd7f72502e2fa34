from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="Progress")


@_attrs_define(repr=False)
class Progress(Record):
    """How far a job has come.

    Attributes:
        fraction (float): Share of the work that is done.
        stage (str): What the job does at the moment, in words.
        message (str | Unset): What the job waits for, in words: a worker, behind other jobs; storage; processor time,
            on a busy machine; another attempt. Empty when it waits for nothing. Default: ''.
    """

    fraction: float
    stage: str
    message: str | Unset = ""

    def to_dict(self) -> dict[str, Any]:
        fraction = self.fraction

        stage = self.stage

        message = self.message

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "fraction": fraction,
                "stage": stage,
            }
        )
        if message is not UNSET:
            field_dict["message"] = message

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        fraction = d.pop("fraction")

        stage = d.pop("stage")

        message = d.pop("message", UNSET)

        progress = cls(
            fraction=fraction,
            stage=stage,
            message=message,
        )

        return progress
