"""Texts about several tables: what they refer to, the features found in them, and forests of those."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .records import warning_lines

if TYPE_CHECKING:
    from .types import (
        ForestScores,
        RelationalDataset,
        RelationalFeature,
        RelationalForestResult,
        RelationalTable,
        Relationship,
    )

_SHOWN_FEATURES = 50
_SHOWN_IDS = 10


def describe_tables(dataset: "RelationalDataset") -> str:
    """Return the tables one a line, with their keys, what they refer to, and what the service warns of."""
    lines = [line for table in dataset.tables for line in _table_lines(table, dataset)]
    return "\n".join([*lines, *(f"Warning: {warning.detail}" for warning in dataset.warnings)])


def _table_lines(table: "RelationalTable", dataset: "RelationalDataset") -> Iterator[str]:
    inferred = " (inferred)" if table.is_key_inferred is True else ""
    parts = [f"key {', '.join(table.primary_key)}{inferred}"] if table.primary_key else []
    parts += [f"time {table.time}"] if table.time else []
    yield f"{table.name}: {_number(table.n_rows, 'row')}{', '.join(['', *parts])}"
    if table.name == dataset.examples.table:
        yield f"  {_examples(dataset)}"
    yield from (f"  {_relationship(each)}" for each in dataset.relationships if each.from_ == table.name)


def _examples(dataset: "RelationalDataset") -> str:
    examples = dataset.examples
    text = "the examples"
    if examples.target is not None:
        classes = "" if examples.classes is None else f" ({', '.join(examples.classes[:10])})"
        text += f", {examples.n_labelled:,} of them labelled by {examples.target}{classes}"
    return text if examples.cutoff is None else f"{text}, each before its {examples.cutoff}"


def _relationship(parent: "Relationship") -> str:
    text = f"{', '.join(parent.columns)} -> {parent.to}: {parent.mean_rows:.3g} rows each, at most {parent.max_rows:,}"
    text += f"; {_number(parent.n_dangling, 'row')} without one" if parent.n_dangling else ""
    return f"{text}; inferred" if parent.inferred else text


def describe_features(features: "Sequence[RelationalFeature]") -> str:
    """Return the names of features, one a line."""
    rest = len(features) - _SHOWN_FEATURES
    more = [f"… and {rest:,} more"] if rest > 0 else []
    return "\n".join([*(feature.name for feature in features[:_SHOWN_FEATURES]), *more])


def describe_forest(forest: "RelationalForestResult") -> str:
    """Return how large a forest is, and how well it predicts."""
    own = forest.evaluation
    n_trees, n_tests = _number(len(forest.trees), "tree"), _number(own.n_nodes, "test")
    lines = [f"{n_trees}, {n_tests} of {_number(forest.n_features, 'feature')}"]
    if own.out_of_bag:
        lines.append(f"Out of bag, {_scores(own.out_of_bag)}")
    lines.append(f"On the examples that it was learned from, {_scores(own.training)}")
    if ids := forest.ids_left_out:
        lines.append(f"Not tested, as ids are: {', '.join(ids[:_SHOWN_IDS])}{', …' if len(ids) > _SHOWN_IDS else ''}")
    if forest.skipped:
        lines.append(f"{_number(len(forest.skipped), 'query', 'queries')} not evaluated: {forest.skipped[0].reason}")
    return "\n".join([*lines, *warning_lines(forest)])


def _scores(scores: "ForestScores") -> str:
    measures = {
        "accuracy": scores.accuracy,
        "balanced accuracy": scores.balanced_accuracy,
        "mean squared error": scores.mean_squared_error,
        "R2": scores.r2,
    }
    parts = [f"{name} {value:.3f}" for name, value in measures.items() if isinstance(value, float)]
    return f"{scores.n_examples:,} examples: {', '.join(parts)}"


def _number(number: int, one: str, several: str = "") -> str:
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"
