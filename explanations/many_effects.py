"""The effects of many rows, written together: compiled loops join them from texts that are the same of many rows."""

from collections.abc import Sequence
from math import tanh
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from schemas.json_numbers import json_number
from tree_explainers.compute.byte_texts import Texts
from tree_explainers.wording import rounded_texts

from .cell_texts import SentRows
from .effect_numbers import NumbersOfMany
from .effect_pieces import (
    END_OF_ENTRY,
    IN_PART,
    LEAST_SHARE,
    MOSTLY,
    EffectEntry,
    EffectReference,
    TextsOfEffects,
    is_most,
)
from .sentences import N_FEATURES, Naming, signed_texts

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class ListedEffects(NamedTuple):
    """The listed effects of all rows, one behind the other, and what their entries are written of."""

    rows: Ints  # (n_listed,)
    ranks: Ints  # (n_listed,) of each within its row, from 0
    counts: Ints  # (n_rows,) listed ones of each row
    distinct: Sequence[EffectEntry]
    entries: Ints  # (n_listed,) of each among the distinct ones
    features: Ints  # (n_listed,) of the value; -1 where an entry has none
    sent: SentRows  # (n_rows,)

    def value(self, index: int) -> Any:  # a cell
        """Return the value of an entry that has one."""
        return self.sent.values[self.rows[index]][self.features[index]]


class ManyEffects(NamedTuple):
    """The effects of rows, and what they are written of."""

    rows: Sequence[int]  # (n_rows,) as answers number them
    references: Sequence[EffectReference]  # distinct ones
    reference_of: Ints  # (n_rows,) of each row among these
    listed: ListedEffects
    numbers: NumbersOfMany
    n_effects: Ints  # (n_rows,) players that have some
    closings: dict[int, bytes]  # by index of the row, the field of the principal reasons where there are any


class _Pieces:
    """Tables of texts, and of which of these the texts of rows consist."""

    def __init__(self, lengths: Ints) -> None:
        """Take the number of pieces of each row."""
        self.bounds = np.concatenate(([0], np.cumsum(lengths)))
        self._tables, self._n_texts = list[Texts](), 0
        self._pieces = np.empty(self.bounds[-1], np.int64)

    def put(self, at: Ints, texts: Texts, numbers: Ints | NDArray[np.bool_] | int) -> None:
        """Put some texts at these places, by their numbers among them."""
        self._pieces[at] = self._n_texts + np.asarray(numbers)
        self._tables.append(texts)
        self._n_texts += len(texts.starts)

    def joined(self) -> Texts:
        """Return the text of each row."""
        texts, _ = Texts.together(self._tables)
        return texts.joined_texts(self._pieces, self.bounds)


def write_effects(effects: ManyEffects, naming: Naming) -> TextsOfEffects:
    """Return the effects of each row, as ``EffectTexts`` writes them one by one."""
    numbers = {row: number for number, row in enumerate(effects.rows)}
    return TextsOfEffects(
        numbers, _json(effects), _sentences(effects, naming), effects.references, effects.reference_of
    )


def ranks_within(rows: Ints, counts: Ints) -> Ints:
    """Return the number of each entry within its row, from 0, of rows that have so many one behind the other."""
    return np.asarray(np.arange(len(rows)) - (np.cumsum(counts) - counts)[rows])


def _json(effects: ManyEffects) -> Texts:
    """Return the effects of each row as JSON."""
    listed, references, of_row = effects.listed, effects.references, effects.reference_of
    numbers, n_rows = effects.numbers, len(effects.reference_of)
    of_entry = 4 if numbers.points is None else 6
    pieces = _Pieces(9 + of_entry * listed.counts)
    at, end, row = pieces.bounds[:-1], pieces.bounds[1:], np.arange(n_rows, dtype=np.int64)
    for offset, field in ((0, "start"), (2, "head"), (4, "tail")):
        pieces.put(at + offset, Texts.of([getattr(each, field) for each in references]), of_row)
    for place, first in ((at + 1, 0), (at + 3, n_rows), (end - 2, 2 * n_rows)):
        pieces.put(place, numbers.texts, first + row)
    _put_entries(pieces, listed, numbers, of_entry)
    pieces.put(end - 4, Texts.of([b"", b"}"]), listed.counts > 0)
    n_others, other_numbers = np.unique(effects.n_effects - listed.counts, return_inverse=True)
    rest = [b'],"rest":{"n_features":%d,"effect":' % n for n in n_others.tolist()]
    pieces.put(end - 3, Texts.of(rest), other_numbers)
    closings, numbers_of = (
        Texts.of([b"}}", *(b"}%b}" % each for each in effects.closings.values())]),
        np.zeros_like(row),
    )
    numbers_of[list(effects.closings)] = np.arange(1, len(closings.starts))
    pieces.put(end - 1, closings, numbers_of)
    return pieces.joined()


def _put_entries(pieces: _Pieces, listed: ListedEffects, numbers: NumbersOfMany, of_entry: int) -> None:
    """Put the listed entries into their rows."""
    at, each = pieces.bounds[listed.rows] + 5 + of_entry * listed.ranks, np.arange(len(listed.rows))
    starts = [entry.start for entry in listed.distinct]
    all_starts = Texts.of([*starts, *(start[len(END_OF_ENTRY) :] for start in starts)])  # none is before the first
    pieces.put(at, all_starts, np.where(listed.ranks == 0, listed.entries + len(starts), listed.entries))
    valued = np.flatnonzero(listed.features >= 0)
    pieces.put(at + 1, Texts.of([b""]), 0)
    pieces.put(at[valued] + 1, listed.sent.texts(listed.rows[valued], listed.features[valued]), np.arange(len(valued)))
    pieces.put(at + 2, Texts.of([entry.end for entry in listed.distinct]), listed.entries)
    has_words = np.flatnonzero(np.array([entry.words is not None for entry in listed.distinct])[listed.entries])
    if len(has_words):
        entries = [listed.distinct[number] for number in listed.entries[has_words].tolist()]
        values = [
            b"%b%b%b" % (entry.end, orjson.dumps(entry.words.value(listed.value(index))), entry.text)
            for entry, index in zip(entries, has_words.tolist(), strict=True)
            if entry.words is not None  # as of all of these
        ]
        pieces.put(at[has_words] + 2, Texts.of(values), np.arange(len(values)))
    first = 3 * len(listed.counts) + each
    pieces.put(at + 3, numbers.texts, first)
    if numbers.points is not None:
        pieces.put(at + 4, Texts.of([b',"points":']), 0)
        pieces.put(at + 5, numbers.texts, first + len(each))


def _sentences(effects: ManyEffects, naming: Naming) -> Texts:
    """Return the sentence of each row that names what moves its score most; empty where nothing is named."""
    listed, references = effects.listed, effects.references
    parts, differences = _moved_by(effects)
    named = _named(listed, parts, differences)
    rows, entries = listed.rows[named], listed.entries[named]
    counts = np.bincount(rows, minlength=len(differences))
    ranks, some = ranks_within(rows, counts), np.flatnonzero(counts)
    pieces = _Pieces(np.where(counts > 0, 5 + 6 * counts, 0))
    at, each = pieces.bounds[some], np.arange(len(some))
    pieces.put(at, _encoded([f"{reference.words} " for reference in references]), effects.reference_of[some])
    sizes = signed_texts(np.abs(differences[some]))
    pieces.put(at + 1, sizes._replace(starts=sizes.starts + 1), each)  # without the sign
    moved = np.bincount(rows, parts[named], len(differences))[some]
    directions = _encoded([" lower", " higher", IN_PART, ".", MOSTLY])
    pieces.put(at + 2, directions, differences[some] > 0)
    pieces.put(at + 3, directions, np.where(is_most(moved, differences[some]), 4, 2))
    pieces.put(pieces.bounds[some + 1] - 1, directions, 3)
    at = pieces.bounds[rows] + 4 + 6 * ranks
    separator = np.where(ranks == 0, 0, np.where(ranks == counts[rows] - 1, 2, 1))
    pieces.put(at, _encoded(["", ", ", " and "]), separator)
    pieces.put(at + 1, _encoded([entry.mention for entry in listed.distinct]), entries)
    pieces.put(at + 2, _value_texts(listed, named, naming), np.arange(len(rows)))
    pieces.put(at + 3, _encoded([entry.compared for entry in listed.distinct]), entries)
    pieces.put(at + 4, signed_texts(parts[named]), np.arange(len(rows)))
    pieces.put(at + 5, _encoded([")"]), 0)
    return pieces.joined()


def _moved_by(effects: ManyEffects) -> tuple[Floats, Floats]:
    """Return the listed effects as sentences name them, and the difference of each row: in points where there are."""
    numbers = effects.numbers
    if numbers.points is None:
        return numbers.effects, numbers.scores - numbers.reference_scores
    shares = 0.5 * (1 + np.fromiter(map(tanh, (numbers.scores / 2).tolist()), np.float64, len(numbers.scores)))
    of_references = np.array([reference.probability for reference in effects.references], np.float64)
    return numbers.points, shares - of_references[effects.reference_of]


def _named(listed: ListedEffects, parts: Floats, differences: Floats) -> Ints:
    """Return the entries that sentences name: of the first that move the score as it differs, those that count."""
    of_rows = differences[listed.rows]
    is_protected = np.array([entry.is_protected for entry in listed.distinct], np.bool_)[listed.entries]
    causes = np.flatnonzero(~is_protected & (parts * of_rows > 0))
    counts = np.bincount(listed.rows[causes], minlength=len(differences))
    ranks = ranks_within(listed.rows[causes], counts)
    counts_enough = (ranks == 0) | (np.abs(parts[causes]) >= LEAST_SHARE * np.abs(of_rows[causes]))
    return np.asarray(causes[(ranks < N_FEATURES) & counts_enough])


def _value_texts(listed: ListedEffects, named: Ints, naming: Naming) -> Texts:
    """Return the values of some entries in words; empty where an entry has none."""
    rows, features, entries = listed.rows[named], listed.features[named], listed.entries[named]
    are_plain = np.array([each.is_plain and each.feature is not None for each in listed.distinct], np.bool_)[entries]
    texts, are_sure = rounded_texts(np.where(are_plain, listed.sent.fractions(rows, features), np.nan))
    others = np.flatnonzero(~are_sure)
    words = [
        ""
        if listed.features[index] < 0
        else naming.value(listed.distinct[entry].name, json_number(listed.value(index)))
        for entry, index in zip(entries[others].tolist(), named[others].tolist(), strict=True)
    ]
    return texts.with_others(others, list(map(_escaped, words)))


def _encoded(texts: Sequence[str]) -> Texts:
    return Texts.of(list(map(_escaped, texts)))


def _escaped(text: str) -> bytes:
    """Return a text as a part of one that is JSON."""
    return orjson.dumps(text)[1:-1]
