from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.score import Score


T = TypeVar("T", bound="ApproximationNode")


@_attrs_define(repr=False)
class ApproximationNode(Record):
    """A node of the tree: a split by a condition on one feature of a raw row, or a leaf.

    Attributes:
        id (int): 0-based index of the node in the list; the root is 0, and a left child follows its parent.
        depth (int): Number of splits above it.
        feature (None | str): Name of the raw feature; null at a leaf.
        column (None | str): Name of the model's feature that is read: `feature` itself, except for one-hot columns that
            were declared as one feature, where `is` means a value over 0.5. Null at a leaf.
        operator (None | str): Comparison that sends a row left: `<=` for numbers (in double precision), `is` or `is one
            of` for categories, or `is missing`; null at a leaf. Operators of rules may be added.
        value (float | list[str] | None | str): Value to compare with: a list with `is one of`; null with `is missing`
            and at a leaf.
        or_missing (bool | None): Whether missing values go left, too; null at a leaf. It is false where no row of the
            dataset misses the feature, and with `is missing`, which decides this itself.
        text (None | str): Condition as an English phrase, such as `income is at most 3,400 (missing allowed)`; null at
            a leaf.
        left (int | None): Id of the child for rows that satisfy the condition; null at a leaf.
        right (int | None): Id of the child for all other rows; null at a leaf.
        prediction (float | str): A number or a text, such as a predicted value or label.
        scores (list[Score]): Shares of the classes in the order of the classes; empty for regression. They are means of
            the model's probabilities; where it has none, or its labels come from a cut-off, of its labels.
        n_samples (int): Number of the dataset's rows that reach it.
        n_pseudo_samples (int): Number of pseudo-samples that were drawn to choose its split, even if `max_leaves` ended
            the growth before it was split; 0 if none were drawn.
        p_value (float | None): Sum over the other candidate splits of the probability that new pseudo-samples would
            prefer them, 0 to 1; null at leaves and with methods without a test.
        at_cap (bool | None): Whether the split was not significant within `max_pseudo_samples`; null where `p_value`
            is.
        question (None | str | Unset): Condition as a question, such as `Is there an account of kind credit?`; null
            where `text` serves as one, and at a leaf.
        settled (bool | None | Unset): Whether safe pruning (`ism`) has proved that the model gives every row that could
            reach the leaf its label, seen in the dataset or not; null at splits and with other methods.
    """

    id: int
    depth: int
    feature: None | str
    column: None | str
    operator: None | str
    value: float | list[str] | None | str
    or_missing: bool | None
    text: None | str
    left: int | None
    right: int | None
    prediction: float | str
    scores: list[Score]
    n_samples: int
    n_pseudo_samples: int
    p_value: float | None
    at_cap: bool | None
    question: None | str | Unset = UNSET
    settled: bool | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        depth = self.depth

        feature: None | str
        feature = self.feature

        column: None | str
        column = self.column

        operator: None | str
        operator = self.operator

        value: float | list[str] | None | str
        if isinstance(self.value, list):
            value = self.value

        else:
            value = self.value

        or_missing: bool | None
        or_missing = self.or_missing

        text: None | str
        text = self.text

        left: int | None
        left = self.left

        right: int | None
        right = self.right

        prediction: float | str
        prediction = self.prediction

        scores = []
        for scores_item_data in self.scores:
            scores_item = scores_item_data.to_dict()
            scores.append(scores_item)

        n_samples = self.n_samples

        n_pseudo_samples = self.n_pseudo_samples

        p_value: float | None
        p_value = self.p_value

        at_cap: bool | None
        at_cap = self.at_cap

        question: None | str | Unset
        if isinstance(self.question, Unset):
            question = UNSET
        else:
            question = self.question

        settled: bool | None | Unset
        if isinstance(self.settled, Unset):
            settled = UNSET
        else:
            settled = self.settled

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "depth": depth,
                "feature": feature,
                "column": column,
                "operator": operator,
                "value": value,
                "or_missing": or_missing,
                "text": text,
                "left": left,
                "right": right,
                "prediction": prediction,
                "scores": scores,
                "n_samples": n_samples,
                "n_pseudo_samples": n_pseudo_samples,
                "p_value": p_value,
                "at_cap": at_cap,
            }
        )
        if question is not UNSET:
            field_dict["question"] = question
        if settled is not UNSET:
            field_dict["settled"] = settled

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.score import Score  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        depth = d.pop("depth")

        def _parse_feature(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        feature = _parse_feature(d.pop("feature"))

        def _parse_column(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        column = _parse_column(d.pop("column"))

        def _parse_operator(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        operator = _parse_operator(d.pop("operator"))

        def _parse_value(data: object) -> float | list[str] | None | str:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                componentsschemas_condition_value_type_2 = cast(list[str], data)

                return componentsschemas_condition_value_type_2
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(float | list[str] | None | str, data)

        value = _parse_value(d.pop("value"))

        def _parse_or_missing(data: object) -> bool | None:
            if data is None:
                return data
            return cast(bool | None, data)

        or_missing = _parse_or_missing(d.pop("or_missing"))

        def _parse_text(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        text = _parse_text(d.pop("text"))

        def _parse_left(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        left = _parse_left(d.pop("left"))

        def _parse_right(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        right = _parse_right(d.pop("right"))

        def _parse_prediction(data: object) -> float | str:
            return cast(float | str, data)

        prediction = _parse_prediction(d.pop("prediction"))

        scores = []
        _scores = d.pop("scores")
        for scores_item_data in _scores:
            scores_item = Score.from_dict(scores_item_data)

            scores.append(scores_item)

        n_samples = d.pop("n_samples")

        n_pseudo_samples = d.pop("n_pseudo_samples")

        def _parse_p_value(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        p_value = _parse_p_value(d.pop("p_value"))

        def _parse_at_cap(data: object) -> bool | None:
            if data is None:
                return data
            return cast(bool | None, data)

        at_cap = _parse_at_cap(d.pop("at_cap"))

        def _parse_question(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        question = _parse_question(d.pop("question", UNSET))

        def _parse_settled(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        settled = _parse_settled(d.pop("settled", UNSET))

        approximation_node = cls(
            id=id,
            depth=depth,
            feature=feature,
            column=column,
            operator=operator,
            value=value,
            or_missing=or_missing,
            text=text,
            left=left,
            right=right,
            prediction=prediction,
            scores=scores,
            n_samples=n_samples,
            n_pseudo_samples=n_pseudo_samples,
            p_value=p_value,
            at_cap=at_cap,
            question=question,
            settled=settled,
        )

        return approximation_node
