"""ShownPlayer: a feature, or a group of features, whose effects callers may see, in the words of a dictionary."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.dictionaries import FeatureWords
from tree_explainers.changes.axis_search import feature_names
from tree_explainers.column_words import ColumnWords
from tree_explainers.effects.players import Players
from tree_explainers.onnx_models.description import ModelDescription

from .dictionary_words import DictionaryWords


@dataclass(frozen=True, slots=True)
class ShownPlayer:
    """A player of effects, as answers name it."""

    head: Mapping[str, Any]  # the beginning of its entries
    index: int | None  # among the raw features; None: it is a group, or made of several of them
    words: ColumnWords | None  # for its values, where there are any
    entry: FeatureWords | None  # of the dictionary; of a group, that of the first feature with a reason of its own

    @property
    def name(self) -> str:
        """The name of the feature or the group."""
        return str(self.head["feature"])

    @property
    def is_protected(self) -> bool:
        """Whether it is no reason."""
        return "protected" in self.head

    def reason(self) -> dict[str, Any]:
        """Return it as a principal reason."""
        code = None if self.entry is None else self.entry.reason_code
        text = None if self.entry is None else self.entry.reason_text
        said = self.head.get("feature_text", self.name) if text is None else text
        return {"feature": self.name, **({} if code is None else {"code": code}), "text": said}


def shown_groups(
    description: ModelDescription, words: DictionaryWords, shown: frozenset[str] | None
) -> dict[str, list[str]]:
    """Return the groups of features that callers may see; the others count by themselves.

    A group that has the name of a feature outside of it is left out: the feature may be a hidden one.
    """
    feature_of = dict(zip(description.feature_names, feature_names(description), strict=True))
    groups = words.groups(name for name in description.feature_names if shown is None or name in shown)
    of_features = {
        group: list(dict.fromkeys(feature_of[name] for name in members)) for group, members in groups.items()
    }
    known = set(feature_of.values())
    return {group: members for group, members in of_features.items() if group in members or group not in known}


def shown_players(
    description: ModelDescription,
    players: Players,
    groups: Mapping[str, Sequence[str]],
    words: DictionaryWords,
    shown: frozenset[str] | None,
) -> dict[int, ShownPlayer]:
    """Return the players that callers may see, by their indices; transformed columns only where all features are."""
    raw_index = {name: index for index, name in enumerate(description.feature_names)}
    by_player = {}
    for player, (name, transformed) in enumerate(zip(players.names, players.transformed, strict=True)):
        if transformed and shown is None:
            by_player[player] = ShownPlayer({"feature": name}, None, None, None)
        elif name in groups and not transformed:
            by_player[player] = _shown_player(name, groups[name], None, words)
        elif not transformed and (shown is None or name in shown):
            by_player[player] = _shown_player(name, [name], raw_index.get(name), words)
    return by_player


def _shown_player(name: str, members: Sequence[str], index: int | None, words: DictionaryWords) -> ShownPlayer:
    entries = [words.entries[member] for member in members if member in words.entries]
    label = {} if index is None else words.feature_text(name)
    group = {"group": list(members)} if index is None and members != [name] else {}
    protected = {"protected": True} if any(entry.protected for entry in entries) else {}
    reason = next((entry for entry in entries if entry.reason_code or entry.reason_text), None)
    of_values = words.columns.get(name) if index is not None else None
    return ShownPlayer({"feature": name, **label, **group, **protected}, index, of_values, reason)


def is_adverse_upwards(description: ModelDescription, score: int, outcome: str) -> bool:
    """Return whether an adverse outcome comes of a higher score, rather than of a lower one.

    Parameters
    ----------
    score
        Index of the score.
    outcome
        That is adverse.
    """
    rule = description.decision
    if rule is None or not description.decides_apart:
        return bool(description.classes) and description.classes[score] == outcome
    return rule.best_first is (score == rule.column)
