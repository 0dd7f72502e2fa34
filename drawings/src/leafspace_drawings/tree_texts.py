"""Texts about a node and a tree that exports for people share; each is one line."""

from collections.abc import Collection, Iterator
from decimal import Context, Decimal
from typing import Any

from .tree_documents import Node, Tree
from .words import are_unequal, brief, measured_on, number, share

ABOUT_SETTLED = "settled: proved that the model gives every row that could reach the leaf its label, seen or not"
_DIGITS = 5  # of a predicted value
_SMALLEST_P = 0.001  # smaller p-values are only bounded
_METHODS = {
    "sta": "STA, each question chosen by a test",
    "ism": "ISM, from the class distributions of the ensemble itself",
    "born_again": "born-again tree, CART on pseudo rows pruned by cross-validation",
    "cart": "CART on pseudo rows",
}


def condition(node: Node) -> str:
    """Return the condition of an inner node; rows for which it holds take the first branch, "yes"."""
    return on_one_line(node.text or "")


def question(node: Node) -> str:
    """Return the condition of an inner node as a question, which is answered by the branches."""
    return on_one_line(node.question) if node.question is not None else f"{condition(node)}?"


def prediction(node: Node) -> str:
    """Return what a node predicts."""
    return label(node.prediction) if isinstance(node.prediction, str) else rounded(node.prediction)


def label(name: str) -> str:
    """Return the name of a class, quoted if it consists of blanks, which would be invisible."""
    return on_one_line(name) if name.strip() else ascii(name)


def on_one_line(text: str) -> str:
    """Return a text for a part of a line, with line ends and invisible characters escaped."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def rounded(value: float) -> str:
    """Return a number with five significant digits, or all before its point, without an exponent."""
    if abs(value) >= 10**_DIGITS:
        return f"{value:,.0f}"
    text = f"{Decimal(repr(float(value))).normalize(Context(prec=_DIGITS)):,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def shares(node: Node, most: int) -> str:
    """Return the shares of at most ``most`` classes at a node, the largest first; empty for regression."""
    largest = sorted(node.scores, key=lambda score: -score.value)[:most]
    texts = [f"{label(score.label)}: {share(score.value)}" for score in largest]
    return ", ".join([*texts, "..."] if len(node.scores) > most else texts)


def row_count(node: Node) -> str:
    """Return how many rows of the dataset reach a node."""
    return "1 row" if node.n_samples == 1 else f"{node.n_samples:,} rows"


def confidence(node: Node) -> str:
    """Return the p-value of a split; empty where there was no test."""
    if node.p_value is None:
        return ""
    p_value = f"p = {node.p_value:.2g}" if node.p_value >= _SMALLEST_P else f"p < {_SMALLEST_P:g}"
    return f"{p_value}, cap" if node.at_cap else p_value


def settled(node: Node) -> str:
    """Return that a leaf's label is proved for every row that could reach it; empty where it is not."""
    return "settled" if node.settled else ""


def about_adverse(content: Tree, adverse: Collection[str]) -> Iterator[str]:
    """Yield which of a tree's classes are adverse to the person concerned, if any is."""
    named = [label(each) for each in content.classes if each in adverse]
    if named:
        yield f"Adverse to the person concerned: {', '.join(named)}"


def of_validation(content: Any) -> Iterator[str]:  # a document, or an answer of the client
    """Yield which depth was chosen by the tree's errors, if one was."""
    found = content.validation
    if found:
        least = min(range(len(found.errors)), key=found.errors.__getitem__)
        within = f"within one standard error ({brief(found.standard_errors[least])}) of the least"
        is_least = "the least" if found.depth == least else f"{within}, {number(found.errors[least])} at depth {least}"
        yield f"Depth {found.depth} was chosen: its error, {number(found.errors[found.depth])}, is {is_least}."


def of_repeats(content: Any) -> Iterator[str]:  # likewise
    """Yield how many different trees the repeats made, if there were several."""
    if content.stability:
        first, *others = content.stability
        deeper = "".join(f", {each.n_structures:,} to depth {each.depth}" for each in others)
        noun = "tree" if first.n_structures == 1 else "trees"
        yield f"The repeats from other pseudo-samples made {first.n_structures:,} different {noun} to depth 1{deeper}."


def summary(content: Tree) -> str:
    """Return the method, the size and the fidelity of a tree."""
    return "; ".join(summary_parts(content))


def summary_parts(content: Tree) -> list[str]:
    """Return the parts of ``summary``."""
    leaves = "1 leaf" if content.n_leaves == 1 else f"{content.n_leaves:,} leaves"
    model = f"{content.n_trees:,} trees" if content.n_trees else "a model without trees"
    inputs = f"for {model}, from {content.n_rows:,} rows"
    return [_METHODS[content.method], f"{leaves}, depth {content.depth}", inputs, *_fidelity(content)]


def _fidelity(content: Tree) -> Iterator[str]:
    """Yield how often the tree agrees with the model, beside a constant label; of unequal classes each alike first."""
    measured, constant = content.evaluation, content.evaluation.constant
    if measured.fidelity is None:
        return
    rows = measured_on(measured.n_rows, measured.evaluated_on)
    if content.task == "regression":  # R2 is measured from the mean value, whose own R2 is 0
        yield f"R2 to the model {measured.fidelity:.3f} on {rows}"
        return
    of_constant, balanced_of_constant = (constant.fidelity, constant.balanced_fidelity) if constant else (None, None)
    figures = [_beside("fidelity", measured.fidelity, constant, of_constant)]
    if are_unequal(of_constant, balanced_of_constant) and measured.balanced_fidelity is not None:
        figures.insert(0, _beside("balanced fidelity", measured.balanced_fidelity, constant, balanced_of_constant))
    yield f"{', '.join(figures)} on {rows}"


def _beside(measure: str, reached: float, constant: Any, of_constant: float | None) -> str:  # likewise
    """Return a figure beside that of the best constant label, without which it means little."""
    always = "" if of_constant is None else f" (always {label(str(constant.model_prediction))}: {share(of_constant)})"
    return f"{measure} {share(reached)}{always}"
