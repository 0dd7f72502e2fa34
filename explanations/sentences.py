"""Sentences of explanations, the same for clients in every language; those of reasons are in ``reason_texts``."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from leafspace_drawings.words import digits_beside, outcome, rounded
from leafspace_drawings.words import share as percent
from numpy.typing import NDArray

from tree_explainers import wording
from tree_explainers.column_words import ColumnWords
from tree_explainers.compute.byte_texts import Texts
from tree_explainers.compute.decimal_texts import decimal_texts

from .typicality import Standing

N_FEATURES = 3
"""Features that a summary names."""
_MOST_DIGITS = 6  # of a rounded score
_PLAIN_FROM, _NEARLY_ONE, _NEARLY_HUNDRED = 1e-4, 0.99, 99  # sizes that two digits are enough for, and no exponent
_SURELY_ROUNDED = 0.499999  # beyond it the product does not say how a number is rounded
_POWERS = np.array([10.0**digits for digits in range(12)])  # all of which are exact
_NEARLY_WHOLE = 1e-6  # of a logarithm: nearer to a whole one, it does not say how a number is rounded
_LEAST_OF_MANY = 1e-9  # whose digits are written without an exponent


def _value_words(_feature: str, value: Any) -> str:  # a cell
    return ColumnWords("").value(value)


def _exact_words(_feature: str, value: Any) -> str:  # a cell
    return ColumnWords("").exact_value(value)


class Naming(NamedTuple):
    """How sentences name things; by default, as they are."""

    mention: Callable[[str], str] = str  # a feature as an object: ``whether it has an account`` for ``has an account``
    value: Callable[[str, Any], str] = _value_words  # of a feature
    outcome: Callable[[str], str] = str  # a class or an outcome
    exact_value: Callable[[str, Any], str] = _exact_words  # of a feature, not rounded: what a change needs

    def outcome_text(self, name: str) -> str:
        """Return a class or an outcome as a part of a sentence."""
        return wording.value_text(self.outcome(name))


AS_THEY_ARE = Naming()


class Causes(NamedTuple):
    """The sentence that names the features that move a row's score most."""

    sentence: str = ""  # empty: no feature is named
    row_id: str | None = None  # the row that it compares the score with; None: it names none


NO_CAUSES = Causes()


def summary(
    prediction: Mapping[str, Any],
    nearest: Sequence[Mapping[str, Any]],
    standing: Standing,
    parts: Mapping[str, Any] | None = None,
    naming: Naming = AS_THEY_ARE,
    *,
    read_reasons: Callable[[], Sequence[Mapping[str, Any]]] | None = None,
    causes: Causes = NO_CAUSES,
    proximity: str | None = None,
) -> str:
    """Return an explanation in a few sentences.

    A prototype that hardly any row is farther from is not called near, whichever class it is of; one of another class
    is said to be so. Where no effects name features, those are named that the shared trees test; they are not causes.

    Parameters
    ----------
    prediction
        As explanations have it, with the row's ``target`` where that is known, its ``decision`` if there is one, and as
        ``label`` what those of prototypes are compared with: the predicted class, or the outcome.
    nearest
        The nearest prototypes, as explanations have them.
    standing
        Where the row stands among others.
    parts
        Optional parts that the summary speaks of, as explanations have them: ``evidence``, ``training_rows`` and
        ``changes``.
    naming
        How features, their values and outcomes are named.
    read_reasons
        Returns the reasons of the nearest prototype, where those in its entry are JSON already.
    causes
        Of the row's effects.
    proximity
        Of the nearest prototype, in words; ``None``: as its entry has it.
    """
    parts = parts or {}
    sentences = [prediction_sentence(prediction, naming), causes.sentence]
    if "evidence" in parts:
        sentences.append(_of_evidence(parts["evidence"], naming))
    if "training_rows" in parts:
        sentences.append(_of_training_rows(parts["training_rows"]))
    if "changes" in parts:
        subject = "The decision would be" if _has_bands(prediction) else "It would be predicted as"
        sentences.append(_of_changes(parts["changes"], naming, subject))
    if nearest:
        near = percent(nearest[0]["proximity"]) if proximity is None else proximity
        sentences.append(_of_nearest(prediction, nearest[0], standing, naming, (near, causes.row_id)))
        if not causes.sentence:  # otherwise features are named already
            reasons = nearest[0]["reasons"] if read_reasons is None else read_reasons()
            features = [naming.mention(reason["feature"]) for reason in reasons[:N_FEATURES]]
            sentences.append(f"The trees that they share ask most often about {listed(features)}." if features else "")
    else:
        sentences.append("It shares no leaf with any prototype.")
    return " ".join(filter(None, [*sentences, standing.abstention]))


def prediction_sentence(prediction: Mapping[str, Any], naming: Naming) -> str:
    """Return what is predicted and, of a registered row, what came of it where that differs: a summary's beginning."""
    if _has_bands(prediction):
        return _of_decision(prediction["decision"], prediction.get("target"), naming)
    predicted, words = _outcome(prediction, naming), case_words(prediction, naming)
    return f"Predicted as {predicted}." if words == predicted else f"P{words[1:]}."


def _has_bands(prediction: Mapping[str, Any]) -> bool:
    return "bands" in prediction.get("decision", ())


def _of_decision(decided: Mapping[str, Any], target: str | float | None, naming: Naming) -> str:
    """Return what is decided, by which score, and of a registered row what came of it."""
    bands = decided["bands"]
    index = next(index for index, band in enumerate(bands) if band["outcome"] == decided["outcome"])
    low = bands[index - 1]["below"] if index else None
    ends = [f"at least {_number(low)}"] if low is not None else []
    if bands[index]["below"] is not None:
        ends.append(f"below {_number(bands[index]['below'])}")
    subject = f"the score of {naming.outcome_text(decided['score_of'])}" if "score_of" in decided else "the value"
    score = _rounded_within(decided["score"], [band["below"] for band in bands if band["below"] is not None])
    sentence = f"The decision is {naming.outcome(decided['outcome'])}: {subject} is {score}, {' and '.join(ends)}."
    if target is None:
        return sentence
    actual = _number(target) if isinstance(target, float) else naming.outcome_text(target)
    return f"{sentence} It was {actual}."


def _rounded_within(score: float, ends: Sequence[float]) -> str:
    """Return a score in as few digits, two at least, as keep it on its side of all ends."""
    return _number(rounded(score, digits_beside(score, ends, 2, _MOST_DIGITS)))


def _of_evidence(evidence: Mapping[str, Any], naming: Naming) -> str:
    """Return which share of the reference rows most like the row were of the class whose score is shown beside it."""
    shares = {share["label"]: share for share in evidence["shares"]}
    if not shares:
        return "No reference row that is like it has nearly its score."
    share, label = shares[evidence["score_of"]], naming.outcome_text(evidence["score_of"])
    interval = f"{percent(share['low'])} to {percent(share['high'])}"
    rows = "1 reference row" if evidence["n_rows"] == 1 else f"{evidence['n_rows']} reference rows"
    words = f"Of the {rows} most like it, {percent(share['share'])} ({interval}) have the label {label}"
    is_by_others = evidence["out_of_bag"] and evidence.get("is_reference_row", False)
    model = "the model, which may have been trained on them, says" if "cautions" in evidence else "the model says"
    says = "the trees that did not learn from it say" if is_by_others else model
    return f"{words}; {says} {percent(evidence['score'])}."


def _of_training_rows(training: Mapping[str, Any]) -> str:
    """Return how many training rows make half of the prediction and, of a regression, where such values should lie."""
    rows = f"{training['n_half']:,} of the {training['n_training_rows']:,} training rows"
    if "weights" in training:
        return f"Of the targets' weights, counted without signs, half lies on {rows}."
    half = f"Half of the prediction comes from {rows}."
    if "interval" not in training:
        return half
    interval = training["interval"]
    ends = f"between {_number(interval['low'])} and {_number(interval['high'])}"
    sentence = f"{half} By their values, {percent(interval['level'])} of such rows should have one {ends}"
    if "coverage" not in interval:
        return f"{sentence}."
    return f"{sentence}; out of bag, {percent(interval['coverage'])} of training rows lie in theirs."


def _of_changes(changes: Mapping[str, Any], naming: Naming, subject: str) -> str:
    """Return the smallest change that gives the wished outcome, or how far none was found."""
    outcome_words = naming.outcome_text(changes["outcome"])
    if not changes["options"]:
        n_features = "one feature" if changes["n_features_searched"] == 1 else "one or two features"
        verb = "gives" if changes["none_with_fewer"] else "that was searched gives"
        return f"No change of {n_features} {verb} the outcome {outcome_words}."
    parts = changes["options"][0]["changes"]
    named = [
        f"{naming.mention(part['feature'])} were {naming.exact_value(part['feature'], part['to'])}"
        for part in parts[:N_FEATURES]
    ]
    n_others = len(parts) - len(named)
    others = [f"{n_others} other feature{'' if n_others == 1 else 's'} changed, too"] if n_others else []
    return f"{subject} {outcome_words} if {listed([*named, *others])}."


def signed(number: float) -> str:
    """Return a difference in two digits, or in all that are before its point."""
    if _PLAIN_FROM <= abs(number) < _NEARLY_ONE or 1 <= abs(number) < _NEARLY_HUNDRED:
        return f"{number:+.2g}"  # which would come of it below, in thrice the time
    short = rounded(number, 2)
    return f"{'+' if short >= 0 else ''}{wording.number_text(short)}"


def signed_texts(numbers: NDArray[np.float64]) -> Texts:
    """Return many differences as ``signed`` does.

    The text of one that is surely nearest to a certain decimal is that of this decimal.
    """
    sizes = np.abs(numbers)
    is_sure = (sizes >= _LEAST_OF_MANY) & (sizes < _NEARLY_HUNDRED)
    sizes = np.where(is_sure, sizes, 1.0)
    decimals = 1 - np.floor(np.log10(sizes)).astype(np.int64)
    nearly_one = np.flatnonzero((sizes >= _NEARLY_ONE) & (sizes < 1))
    decimals[nearly_one], is_sure[nearly_one] = _decimals_below_one(sizes[nearly_one])
    units = sizes * _POWERS[decimals]
    whole = np.rint(units)
    is_sure &= (np.abs(units - whole) < _SURELY_ROUNDED) & (whole >= 10)
    is_sure &= whole < np.where(sizes < 1, _POWERS[decimals], 100)
    texts = decimal_texts(whole.astype(np.int64), numbers < 0, decimals, "difference")
    others = np.flatnonzero(~is_sure)
    return texts.with_others(others, [signed(number).encode() for number in numbers[others].tolist()])


def _decimals_below_one(sizes: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the fewest decimals, two at least, with which sizes below 1 are not rounded to 1, and which are sure."""
    needed = -np.log10(2 * (1 - sizes))
    is_sure = (np.abs(needed - np.rint(needed)) > _NEARLY_WHOLE) & (needed < _MOST_DIGITS)
    return np.clip(np.ceil(needed), 2, _MOST_DIGITS).astype(np.int64), is_sure


def _of_nearest(
    prediction: Mapping[str, Any],
    prototype: Mapping[str, Any],
    standing: Standing,
    naming: Naming,
    words: tuple[str, str | None],
) -> str:
    """Return which prototype is nearest, how near it is, and how that compares with other rows.

    ``words`` are its proximity, and the row that a sentence before names already.
    """
    near, compared_with = words
    decides = _has_bands(prediction) and prediction.get("label") == prediction["decision"]["outcome"]
    name = "that same row" if prototype["row_id"] == compared_with else f"row {prototype['row_id']}"
    row = f"{name} ({(_decided_words if decides else case_words)(prototype, naming)})"
    is_other = "label" in prototype and prototype["label"] != prediction["label"]
    kind = "outcome" if decides else "class"
    if standing.is_far:
        nearest = f"the nearest is of another {kind}," if is_other else "the nearest,"
        return f"No prototype is near it: {nearest} {row}, has a proximity of {near}, and {standing.others}."
    begin = f"Its nearest prototype is of another {kind}:" if is_other else "Its nearest prototype is"
    # At a proximity of 1 no other row can be nearer to its own.
    others = f"; {standing.others}" if standing.others and prototype["proximity"] < 1 else ""
    return f"{begin} {row}, at a proximity of {near}{others}."


def _decided_words(case: Mapping[str, Any], naming: Naming) -> str:
    """Return what is decided of a row, and its true class where that is known: ``decision: approve, was unpaid``."""
    decided, actual = _outcome(case, naming), case.get("target")
    if actual is None:
        return decided
    return f"decision: {decided}, was {_number(actual) if isinstance(actual, float) else naming.outcome_text(actual)}"


def case_words(case: Mapping[str, Any], naming: Naming = AS_THEY_ARE) -> str:
    """Return what is predicted for a row, and what came of it where that differs: ``predicted paid, was unpaid``."""
    predicted = _outcome(case if "predicted" not in case else {"label": case["predicted"]}, naming)
    actual = case.get("target")
    return outcome(predicted, _number(actual) if isinstance(actual, float) else actual and naming.outcome_text(actual))


def _outcome(of: Mapping[str, Any], naming: Naming) -> str:
    """Return a label or a value, of a prediction or a prototype."""
    label: str | None = of.get("label")
    return _number(of["value"]) if label is None else naming.outcome_text(label)


def _number(value: float) -> str:
    return wording.number_text(rounded(value, _MOST_DIGITS))


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence lists them."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
