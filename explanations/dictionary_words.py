"""DictionaryWords: what a dataset's dictionary says of a model's features and outcomes, ready to be used in texts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from schemas.datasets import Column
from schemas.dictionaries import DictionaryRequest, FeatureWords
from storage.dictionaries import StoredDictionary
from tree_explainers.changes.feature_moves import Constraint
from tree_explainers.column_words import ColumnWords

_PLAIN = ColumnWords("")
_TRUTH = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class DictionaryWords:
    """The words for a model's features, by its own names of these, and for its outcomes."""

    revision: int = 0
    columns: Mapping[str, ColumnWords] = field(default_factory=dict)  # of features that have words
    entries: Mapping[str, FeatureWords] = field(default_factory=dict)  # of features that the dictionary describes
    outcomes: Mapping[str, str] = field(default_factory=dict)  # labels of classes and outcomes that have one
    outcome_texts: Sequence[Mapping[str, str]] = ()  # the same, as answers have them
    adverse: frozenset[str] = frozenset()  # outcomes

    @classmethod
    def read(cls, stored: StoredDictionary, names: Sequence[str], columns: Sequence[Column]) -> "DictionaryWords":
        """Return the words for a model's features.

        Parameters
        ----------
        stored
            The dictionary of the dataset.
        names : (n_features,)
            The model's names of its features.
        columns : (n_features,)
            The dataset's column of each, with the titles and units that it is shown with.
        """
        request = DictionaryRequest(**(stored.words or {}))
        described = {feature.name: feature for feature in request.features}
        column_of = dict(zip(names, columns, strict=True))
        words = {name: _column_words(name, column, described.get(column.name)) for name, column in column_of.items()}
        outcomes = {outcome.name: outcome.label for outcome in request.outcomes if outcome.label is not None}
        return cls(
            revision=stored.revision,
            columns={name: each for name, each in words.items() if each != ColumnWords(name)},
            entries={name: described[each.name] for name, each in column_of.items() if each.name in described},
            outcomes=outcomes,
            outcome_texts=[{"outcome": name, "text": text} for name, text in outcomes.items()],
            adverse=frozenset(outcome.name for outcome in request.outcomes if outcome.adverse),
        )

    @property
    def hidden(self) -> frozenset[str]:
        """Features of which nothing is shown."""
        return frozenset(name for name, entry in self.entries.items() if entry.hidden)

    @property
    def protected(self) -> frozenset[str]:
        """Features that are no reasons, and never changed."""
        return frozenset(name for name, entry in self.entries.items() if entry.protected)

    def constraints(self) -> dict[str, Constraint]:
        """Return how changes of rows are bound, by feature."""
        return {name: bound for name, entry in self.entries.items() if (bound := _constraint(entry)) is not None}

    def groups(self, names: Iterable[str]) -> dict[str, list[str]]:
        """Return which of these features are in groups, in their order, by the names of the groups."""
        groups: dict[str, list[str]] = {}
        for name in names:
            entry = self.entries.get(name)
            if entry is not None and entry.group is not None:
                groups.setdefault(entry.group, []).append(name)
        return groups

    def of(self, feature: str) -> ColumnWords:
        """Return the words for a feature."""
        return self.columns.get(feature) or ColumnWords(feature)

    def value(self, feature: str, value: Any) -> str:  # a cell
        """Return a value of a feature in words."""
        return (self.columns.get(feature) or _PLAIN).value(value)

    def exact_value(self, feature: str, value: Any) -> str:  # a cell
        """Return a value of a feature in words, whatever decimals its dictionary has: a number that must be met."""
        return (self.columns.get(feature) or _PLAIN).exact_value(value)

    def outcome(self, name: str) -> str:
        """Return what a class or an outcome is called."""
        return self.outcomes.get(name, name)

    def feature_text(self, feature: str) -> dict[str, str]:
        """Return the field ``feature_text`` of a feature; none where it is called by its name."""
        words = self.columns.get(feature)
        return {} if words is None or words.name == feature else {"feature_text": words.name}

    def outcome_text(self, name: str | None) -> dict[str, str]:
        """Return the field ``outcome_text`` of a class or an outcome; none where it is called by its name."""
        return {"outcome_text": self.outcomes[name]} if name is not None and name in self.outcomes else {}


def _column_words(name: str, column: Column, entry: FeatureWords | None) -> ColumnWords:
    return ColumnWords(
        name=column.title or name,
        unit=column.unit if column.type == "number" else None,
        decimals=None if entry is None else entry.decimals,
        plain_digits=bool(column.plain_digits),
        labels={} if entry is None else {_value_of(each.value, column): each.label for each in entry.values},
    )


def _value_of(text: str, column: Column) -> float | str:
    if column.type == "boolean":
        return _TRUTH.get(text, text)
    return float(text) if column.type == "number" else text


def _constraint(entry: FeatureWords) -> Constraint | None:
    if entry.fixed or entry.protected:
        return "fixed"
    return "only_up" if entry.only_up else "only_down" if entry.only_down else None
