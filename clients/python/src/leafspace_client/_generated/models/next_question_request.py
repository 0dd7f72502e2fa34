from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.next_question_request_answers import NextQuestionRequestAnswers


T = TypeVar("T", bound="NextQuestionRequest")


@_attrs_define(repr=False)
class NextQuestionRequest(Record):
    """The answers so far.

    Attributes:
        answers (NextQuestionRequestAnswers | Unset): Values by names of the model's features, as in instances; null, a
            missing value, is an answer.
    """

    answers: NextQuestionRequestAnswers | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        answers: dict[str, Any] | Unset = UNSET
        if not isinstance(self.answers, Unset):
            answers = self.answers.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if answers is not UNSET:
            field_dict["answers"] = answers

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.next_question_request_answers import NextQuestionRequestAnswers  # noqa: PLC0415

        d = dict(src_dict)
        _answers = d.pop("answers", UNSET)
        answers: NextQuestionRequestAnswers | Unset
        if isinstance(_answers, Unset):
            answers = UNSET
        else:
            answers = NextQuestionRequestAnswers.from_dict(_answers)

        next_question_request = cls(
            answers=answers,
        )

        return next_question_request
