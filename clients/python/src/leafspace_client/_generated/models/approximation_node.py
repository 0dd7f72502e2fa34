from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

if TYPE_CHECKING:
    from ..models.score import Score


T = TypeVar("T", bound="ApproximationNode")


@_attrs_define(repr=False)
class ApproximationNode(Record):
    """A node: a question about one feature of a raw row, or a leaf, where `feature` to `text` and the ways are null.

    Attributes:
        id (int): Position in the list; the root's is 0, and a left child comes right after its parent.
        depth (int): Questions asked before it is reached.
        feature (None | str):
        column (None | str): The model's feature that is read: `feature` itself, but for one-hot columns that were
            declared to belong together, where `is` means a value over 0.5.
        operator (None | str): Yes goes left: <= (of numbers, compared as they are, in double precision), is, is one of
            (of categories), is missing; new ones may come, of those that rules have.
        value (float | list[str] | None | str): A list with `is one of`; null with `is missing`.
        or_missing (bool | None): A missing value goes left as well; otherwise it goes right. False where no row of the
            dataset misses the feature. (It is also false with `is missing`, which says itself where a missing value goes.)
        text (None | str): The question as an English sentence, such as `income is at most 3,400 (missing allowed)`.
        left (int | None): Id of the node for rows for which the question holds.
        right (int | None): Id of the node for all others.
        prediction (float | str): A label; for regression a value. Inner nodes have one, too.
        scores (list[Score]): Shares of classes, in the order of the classes; none for regression.
        n_samples (int): The dataset's rows that reach it.
        n_pseudo_samples (int): Pseudo rows that were drawn to find its question, whether it was asked in the end or
            not: `max_leaves` may have ended the growth. 0 where none were drawn.
        p_value (float | None): Sum over the other candidates of the probability that new pseudo rows would prefer them,
            at most 1; null at leaves, and with methods without a test.
        at_cap (bool | None): No more pseudo rows were allowed, although `p_value` exceeds the significance; null with
            it.
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
                value_type_2 = cast(list[str], data)

                return value_type_2
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
        )

        return approximation_node
