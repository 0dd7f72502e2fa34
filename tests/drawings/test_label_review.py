"""The view of a row under review: the words of the dataset, and first the features that the model tests most."""

import re
from typing import Any

from leafspace_drawings import Queue, ReviewContext, draw_label_review

from .documents import document


def _review(**context: Any) -> str:
    found, audit = document("ReviewedRow"), document("LabelAudit")
    rows = [found["row"], *(each["row"] for each in found["neighbors"])]
    values = {row: {"values": [{"name": name, "value": 1} for name in "abc"]} for row in rows}
    return draw_label_review(
        found, ReviewContext(audit, Queue(audit["result"]["rows"], {}, document("DecisionCounts")), values, **context)
    )


def test_features_stand_in_the_order_of_how_often_the_model_tests_them() -> None:
    usage = [{"feature": "c", "share_of_questions": 0.7}, {"feature": "b", "share_of_questions": 0.2}]
    names = re.findall(r'<th scope="row" class="ls-words">.*?([abc])(?=<)', _review(usage=usage))
    assert names == ["c", "b", "a"]
    assert re.findall(r'<th scope="row" class="ls-words">.*?([abc])(?=<)', _review()) == ["a", "b", "c"]


def test_labels_are_said_in_the_words_of_the_dictionary() -> None:
    label = document("ReviewedRow")["label"]
    target = {"name": "t", "role": "target", "labels": [{"value": label, "label": "as people call it"}]}
    assert "Keep <bdi>as people call it</bdi>" in _review(dataset={"name": "rows", "columns": [target]})
