"""Effects of every explanation that a test gets add up: from the reference's score to the row's, which is the model's.

Answers over HTTP are looked through by ``Api``, explanations of the SDK and those made in the tests' own process when
they are made.
"""

import json
from collections.abc import Iterator
from math import isclose, tanh
from typing import Any

import pytest

Json = dict[str, Any]
_ROUNDING = 1e-6  # of a printed effect, against the larger score
_PRECISION = 3e-5  # of a score, against the model's own, which may be added up in single precision


def check_answer(content: bytes) -> None:
    """Check all explanations in an answer: JSON, or lines of it."""
    if b'"effects":{' not in content:
        return
    try:
        documents = [json.loads(content)]
    except ValueError:
        documents = [json.loads(line) for line in content.splitlines() if line.startswith(b"{")]
    for explanation in _explanations(documents):
        check_effects(explanation["effects"], explanation["prediction"])


def check_effects(effects: Json, prediction: Json) -> None:
    """Check one row's effects beside its prediction, both as answers have them."""
    score, reference, listed = effects["score"], effects["reference"], effects["features"]
    is_all, size = effects["rest"]["n_features"] == 0, max(1.0, abs(score), abs(reference["score"]))
    total = sum(entry["effect"] for entry in listed) + effects["rest"]["effect"]
    assert isclose(total, score - reference["score"], rel_tol=1e-6, abs_tol=1e-9 * size), effects
    if is_all:  # what is left is rounding alone
        assert abs(effects["rest"]["effect"]) <= _ROUNDING * size * (len(listed) + 1), effects
    _check_score(effects, prediction)
    if "probability" in reference:
        points = sum(entry["points"] for entry in listed)
        probability = _logistic(score) - reference["probability"]
        assert not is_all or isclose(points, probability, rel_tol=1e-6, abs_tol=1e-5), effects
    assert ("row_id" in reference) == (reference["kind"] in {"contrast", "nearest"}), reference
    assert reference["n_rows"] == 1 or "row_id" not in reference


def _check_score(effects: Json, prediction: Json) -> None:
    """Check that the score is the model's own, where one score alone can be said as the model says it."""
    if prediction["task"] == "regression":
        expected = prediction["value"]
    else:
        expected = next(each["value"] for each in prediction["scores"] if each["label"] == effects["of"])
    if effects["scale"] != "log_odds":
        assert isclose(effects["score"], expected, rel_tol=_PRECISION, abs_tol=_PRECISION), effects
    elif len(prediction.get("scores", ())) == 2:
        assert isclose(_logistic(effects["score"]), expected, abs_tol=_PRECISION), effects


def _explanations(value: Any) -> Iterator[Json]:
    """Yield all explanations with effects in some JSON."""
    if isinstance(value, list):
        for each in value:
            yield from _explanations(each)
    elif isinstance(value, dict):
        if isinstance(value.get("effects"), dict) and "prediction" in value and "reference" in value["effects"]:
            yield value
            return  # no explanation is inside of another
        for each in value.values():
            yield from _explanations(each)


def _logistic(log_odds: float) -> float:
    return 0.5 * (1 + tanh(log_odds / 2))


@pytest.fixture(autouse=True, scope="session")
def effects_add_up() -> Iterator[None]:
    """Check the effects of all explanations that are made in this process, and of those that the SDK gets."""
    from leafspace_client.explanation_fields import ExplanationFields

    from explanations import part_writers

    write, begin = part_writers._WRITERS["effects"], ExplanationFields.__init__  # all pass there

    def checked_writer(warm: Any, parts: Any, explained: Any, document: Json) -> Any:
        if explained.effects is not None:
            check_effects(json.loads(explained.effects.text), document["prediction"])
        return write(warm, parts, explained, document)

    def checked_begin(self: Any, details: Any, *others: Any) -> None:
        begin(self, details, *others)
        sent = details.to_dict()
        if sent.get("effects"):
            check_effects(sent["effects"], sent["prediction"])

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(part_writers._WRITERS, "effects", checked_writer)  # as above
        patch.setattr(ExplanationFields, "__init__", checked_begin)
        yield
