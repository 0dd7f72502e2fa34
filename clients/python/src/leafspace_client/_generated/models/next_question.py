from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...displays import DrawnRecord
from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.path_node import PathNode
    from ..models.question import Question
    from ..models.score import Score


T = TypeVar("T", bound="NextQuestion")


@_attrs_define(repr=False)
class NextQuestion(DrawnRecord, Record):
    """How far the answers lead in the tree.

    Attributes:
        approximation_tree (str): Id of the approximation tree.
        question (None | Question): The next question; null if the answers lead to a leaf.
        prediction (float | None | str): Predicted label of the leaf, or value for regression; null while there is a
            question left.
        scores (list[Score]): Shares of the classes at the node that was reached, in the order of the classes; empty for
            regression.
        n_asked (int): Number of different features on the path so far, without that of `question`.
        n_features (int): Number of features of the model, all of which it needs without the tree.
        path (list[PathNode]): Conditions on the path so far, from the root.
        object_ (Literal['next_question'] | Unset): Type of this object. Default: 'next_question'.
    """

    approximation_tree: str
    question: None | Question
    prediction: float | None | str
    scores: list[Score]
    n_asked: int
    n_features: int
    path: list[PathNode]
    object_: Literal["next_question"] | Unset = "next_question"

    def to_dict(self) -> dict[str, Any]:
        from ..models.question import Question  # noqa: PLC0415

        approximation_tree = self.approximation_tree

        question: dict[str, Any] | None
        if isinstance(self.question, Question):
            question = self.question.to_dict()
        else:
            question = self.question

        prediction: float | None | str
        prediction = self.prediction

        scores = []
        for scores_item_data in self.scores:
            scores_item = scores_item_data.to_dict()
            scores.append(scores_item)

        n_asked = self.n_asked

        n_features = self.n_features

        path = []
        for path_item_data in self.path:
            path_item = path_item_data.to_dict()
            path.append(path_item)

        object_ = self.object_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "approximation_tree": approximation_tree,
                "question": question,
                "prediction": prediction,
                "scores": scores,
                "n_asked": n_asked,
                "n_features": n_features,
                "path": path,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.path_node import PathNode  # noqa: PLC0415
        from ..models.question import Question  # noqa: PLC0415
        from ..models.score import Score  # noqa: PLC0415

        d = dict(src_dict)
        approximation_tree = d.pop("approximation_tree")

        def _parse_question(data: object) -> None | Question:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                question_type_0 = Question.from_dict(data)

                return question_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Question, data)

        question = _parse_question(d.pop("question"))

        def _parse_prediction(data: object) -> float | None | str:
            if data is None:
                return data
            return cast(float | None | str, data)

        prediction = _parse_prediction(d.pop("prediction"))

        scores = []
        _scores = d.pop("scores")
        for scores_item_data in _scores:
            scores_item = Score.from_dict(scores_item_data)

            scores.append(scores_item)

        n_asked = d.pop("n_asked")

        n_features = d.pop("n_features")

        path = []
        _path = d.pop("path")
        for path_item_data in _path:
            path_item = PathNode.from_dict(path_item_data)

            path.append(path_item)

        object_ = cast(Literal["next_question"] | Unset, d.pop("object", UNSET))
        if object_ != "next_question" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'next_question', got '{object_}'")

        next_question = cls(
            approximation_tree=approximation_tree,
            question=question,
            prediction=prediction,
            scores=scores,
            n_asked=n_asked,
            n_features=n_features,
            path=path,
            object_=object_,
        )

        return next_question
