"""What exports for people say of a node, always on one line."""

from collections.abc import Iterator

import numpy as np

from schemas.approximation_trees import ApproximationNode, ApproximationTreeResult

from ..export_text.literals import on_one_line

_DIGITS = 5  # of a predicted value
_SMALLEST_P = 0.001  # told in full
_METHODS = {
    "sta": "STA, each question chosen by a test",
    "ism": "ISM, from the class distributions of the ensemble itself",
    "born_again": "born-again tree, CART on pseudo rows pruned by cross-validation",
    "cart": "CART on pseudo rows",
}


def question(node: ApproximationNode) -> str:
    """Return what an inner node asks; yes is the first of its two ways."""
    return on_one_line(node.text or "")


def prediction(node: ApproximationNode) -> str:
    """Return what a node predicts."""
    return label(node.prediction) if isinstance(node.prediction, str) else rounded(node.prediction)


def label(told: str) -> str:
    """Return the name of a class; one of blanks alone is quoted, so that it can be seen."""
    return on_one_line(told) if told.strip() else ascii(told)


def rounded(value: float) -> str:
    """Return a number in some digits, without an exponent."""
    return np.format_float_positional(value, _DIGITS, fractional=False, trim="-")


def shares(node: ApproximationNode, most: int) -> str:
    """Return the shares of classes at a node, the largest first and so many at most; empty for regression."""
    largest = sorted(node.scores, key=lambda score: -score.value)[:most]
    told = [f"{label(score.label)}: {score.value:.2f}" for score in largest]
    return ", ".join([*told, "..."] if len(node.scores) > most else told)


def rows(node: ApproximationNode) -> str:
    """Return how many rows of the dataset reach a node."""
    return "1 row" if node.n_samples == 1 else f"{node.n_samples:,} rows"


def sureness(node: ApproximationNode) -> str:
    """Return how sure the choice of a question is; empty where there was no test."""
    if node.p_value is None:
        return ""
    p_value = f"p = {node.p_value:.2g}" if node.p_value >= _SMALLEST_P else f"p < {_SMALLEST_P:g}"
    return f"{p_value}, cap" if node.at_cap else p_value


def summary(content: ApproximationTreeResult) -> str:
    """Return what the tree is, and how well it stands for the model."""
    return "; ".join(summary_parts(content))


def summary_parts(content: ApproximationTreeResult) -> list[str]:
    """Return the parts of ``summary``."""
    leaves = "1 leaf" if content.n_leaves == 1 else f"{content.n_leaves:,} leaves"
    made = f"for {content.n_trees:,} trees, from {content.n_rows:,} rows"
    return [_METHODS[content.method], f"{leaves}, depth {content.depth}", made, *_fidelity(content)]


def _fidelity(content: ApproximationTreeResult) -> Iterator[str]:
    fidelity = content.evaluation.fidelity
    if fidelity is not None:
        measure = "R2 to the model" if content.task == "regression" else "fidelity"
        yield f"{measure} {fidelity:.3f}{_for_nothing(content)} on {content.evaluation.n_rows:,} rows"


def _for_nothing(content: ApproximationTreeResult) -> str:
    """Return the fidelity of always the same label, without which that of the tree says little."""
    constant = content.evaluation.constant
    if constant is None or constant.fidelity is None or content.task == "regression":
        return ""  # R2 is measured from the mean value: always that one has 0
    return f" (always {label(str(constant.model_prediction))}: {constant.fidelity:.3f})"
