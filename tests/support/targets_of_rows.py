"""What is known of registered rows alone: what came of them."""

from leafspace_drawings.words import outcome

from .api import Json


def without_target(row: Json) -> Json:
    """Return the explanation of a registered row as that of a sent one: without its target, in its summary too."""
    sent = {name: value for name, value in row.items() if name != "target"}
    if "target" not in row:
        return sent
    prediction = row["prediction"]
    predicted = _words(prediction["label"] if "label" in prediction else prediction["value"])
    words = outcome(predicted, _words(row["target"]))
    begin = f"Predicted as {predicted}."
    with_target = begin if words == predicted else f"P{words[1:]}."
    assert row["summary"].startswith(with_target), row["summary"]
    return sent | {"summary": begin + row["summary"].removeprefix(with_target)}


def _words(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"
