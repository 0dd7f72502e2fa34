"""The effects of many rows, written together: compiled loops join them from texts that are the same of many rows."""

from collections.abc import Sequence
from itertools import chain
from math import tanh
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.json_numbers import json_number
from tree_explainers.compute.byte_texts import Texts
from tree_explainers.wording import rounded_texts

from .cell_texts import texts_of_cells
from .effect_numbers import NumbersOfRows, RoundedNumbers
from .effect_pieces import END_OF_ENTRY, LEAST_SHARE, EffectEntry, EffectReference, EffectRow, WrittenEffects
from .sentences import N_FEATURES, NO_CAUSES, Causes, Naming, signed_texts

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class ManyEffects(NamedTuple):
    """The effects of rows, and what they are written of."""

    rows: Sequence[EffectRow]  # (n_rows,)
    references: Sequence[EffectReference]  # (n_rows,)
    entries: Sequence[Sequence[EffectEntry]]  # (n_rows,) of the listed players; none has values in words
    numbers: NumbersOfRows
    reasons: Sequence[bytes | None]  # (n_rows,) the field of the principal ones, where there are any


class _Listed(NamedTuple):
    """The entries of all rows, one behind the other."""

    entries: Sequence[EffectEntry]  # distinct ones
    numbers: Ints  # (n_listed,) of each entry among these
    rows: Ints  # (n_listed,)
    ranks: Ints  # (n_listed,) of each within its row, from 0
    cells: Sequence[Any]  # (n_listed,) values as JSON has them; "" where an entry has none
    counts: Ints  # (n_rows,)


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

    def joined(self) -> list[bytes]:
        """Return the text of each row."""
        texts, _ = Texts.together(self._tables)
        return list(texts.joined(self._pieces, self.bounds))


def write_effects(effects: ManyEffects, naming: Naming) -> list[WrittenEffects]:
    """Return the effects of each row, as ``EffectTexts`` writes them one by one."""
    listed = _listed(effects)
    numbers = {id(each): each for each in effects.references}
    order = {key: number for number, key in enumerate(numbers)}
    references = [*numbers.values()], np.array([order[id(each)] for each in effects.references], np.int64)
    texts = _texts(effects, listed, references)
    sentences = _sentences(effects, listed, references, naming)
    causes = (
        Causes(sentence, reference.row_id) if sentence else NO_CAUSES
        for sentence, reference in zip(sentences, effects.references, strict=True)
    )
    return list(map(WrittenEffects, texts, causes))


def moved_by(numbers: RoundedNumbers, reference: EffectReference) -> tuple[list[float], float]:
    """Return the effects that sentences name, and the difference that they make: in points where there are some."""
    if numbers.points:
        return numbers.points, 0.5 * (1 + tanh(numbers.score / 2)) - reference.probability
    return numbers.effects, numbers.score - numbers.reference_score


def _listed(effects: ManyEffects) -> _Listed:
    flat = [*chain.from_iterable(effects.entries)]
    _, firsts, numbers = np.unique(np.fromiter(map(id, flat), np.int64), return_index=True, return_inverse=True)
    counts = np.fromiter(map(len, effects.entries), np.int64, len(effects.entries))
    rows = np.repeat(np.arange(len(counts)), counts)
    cells = [
        "" if entry.feature is None else effects.rows[row].values[entry.feature]
        for row, entry in zip(rows.tolist(), flat, strict=True)
    ]
    ranks = np.arange(len(flat)) - (np.cumsum(counts) - counts)[rows]
    return _Listed([flat[first] for first in firsts.tolist()], numbers, rows, ranks, cells, counts)


def _texts(effects: ManyEffects, listed: _Listed, references: tuple[Sequence[EffectReference], Ints]) -> list[bytes]:
    """Return the effects of each row as JSON."""
    of_entry = 6 if any(row.points for row in effects.numbers.rows) else 4
    n_numbers = 3 + (1 + (of_entry > 4)) * listed.counts
    first_number, numbers = np.cumsum(n_numbers) - n_numbers, Texts.of_items(effects.numbers.json)
    pieces = _Pieces(9 + of_entry * listed.counts)
    at, distinct = pieces.bounds[:-1], references[0]
    for offset, texts in enumerate(([each.start for each in distinct], [each.head for each in distinct])):
        pieces.put(at + 2 * offset, Texts.of(texts), references[1])
        pieces.put(at + 2 * offset + 1, numbers, first_number + offset)
    pieces.put(at + 4, Texts.of([each.tail for each in distinct]), references[1])
    _put_entries(pieces, listed, (numbers, first_number), of_entry)
    end = pieces.bounds[1:]
    pieces.put(end - 4, Texts.of([b"", b"}"]), listed.counts > 0)
    others = [len(row.effects.order) - len(entries) for row, entries in zip(effects.rows, effects.entries, strict=True)]
    pieces.put(end - 3, Texts.of([b'],"rest":{"n_features":%d,"effect":' % n for n in others]), np.arange(len(end)))
    pieces.put(end - 2, numbers, first_number + 2)
    closings = [b"}}" if reasons is None else b"}%b}" % reasons for reasons in effects.reasons]
    pieces.put(end - 1, Texts.of(closings), np.arange(len(end)))
    return pieces.joined()


def _put_entries(pieces: _Pieces, listed: _Listed, numbers: tuple[Texts, Ints], of_entry: int) -> None:
    """Put the listed entries into their rows."""
    at, each = pieces.bounds[listed.rows] + 5 + of_entry * listed.ranks, np.arange(len(listed.rows))
    starts = [entry.start for entry in listed.entries]
    all_starts = Texts.of([*starts, *(start[len(END_OF_ENTRY) :] for start in starts)])  # none is before the first
    pieces.put(at, all_starts, np.where(listed.ranks == 0, listed.numbers + len(starts), listed.numbers))
    cells = texts_of_cells(list(map(json_number, listed.cells)))
    has_value = np.array([entry.feature is not None for entry in listed.entries], np.bool_)[listed.numbers]
    pieces.put(at[has_value] + 1, cells, each[has_value])
    pieces.put(at[~has_value] + 1, Texts.of([b""]), 0)
    pieces.put(at + 2, Texts.of([entry.end for entry in listed.entries]), listed.numbers)
    texts, first = numbers
    number = first[listed.rows] + 3 + listed.ranks
    pieces.put(at + 3, texts, number)
    if of_entry > 4:
        pieces.put(at + 4, Texts.of([b',"points":']), 0)
        pieces.put(at + 5, texts, number + listed.counts[listed.rows])


def _sentences(
    effects: ManyEffects,
    listed: _Listed,
    references: tuple[Sequence[EffectReference], Ints],
    naming: Naming,
) -> list[str]:
    """Return the sentence of each row that names what moves its score most; empty where nothing is named."""
    moved = [moved_by(*each) for each in zip(effects.numbers.rows, effects.references, strict=True)]
    parts = np.array([*chain.from_iterable(parts for parts, _ in moved)], np.float64)
    differences = np.array([difference for _, difference in moved], np.float64)
    named = _named(listed, parts, differences)
    rows, numbers = listed.rows[named], listed.numbers[named]
    counts = np.bincount(rows, minlength=len(differences))
    ranks = np.arange(len(rows)) - (np.cumsum(counts) - counts)[rows]
    pieces = _Pieces(np.where(counts > 0, 5 + 6 * counts, 0))
    some = np.flatnonzero(counts)
    at, each = pieces.bounds[some], np.arange(len(some))
    pieces.put(at, _encoded([f"{reference.words} " for reference in references[0]]), references[1][some])
    sizes = [size.removeprefix("+") for size in signed_texts(np.abs(differences[some]))]
    pieces.put(at + 1, _encoded(sizes), each)
    directions = [" lower", " higher", ", mostly by ", "."]
    pieces.put(at + 2, _encoded(directions), differences[some] > 0)
    pieces.put(at + 3, _encoded(directions), 2)
    pieces.put(pieces.bounds[some + 1] - 1, _encoded(directions), 3)
    at = pieces.bounds[rows] + 4 + 6 * ranks
    separator = np.where(ranks == 0, 0, np.where(ranks == counts[rows] - 1, 2, 1))
    pieces.put(at, _encoded(["", ", ", " and "]), separator)
    pieces.put(at + 1, _encoded([entry.mention for entry in listed.entries]), numbers)
    pieces.put(at + 2, _encoded(_value_texts(listed, named, naming)), np.arange(len(rows)))
    pieces.put(at + 3, _encoded([entry.compared for entry in listed.entries]), numbers)
    pieces.put(at + 4, _encoded(signed_texts(parts[named])), np.arange(len(rows)))
    pieces.put(at + 5, _encoded([")"]), 0)
    return [text.decode() for text in pieces.joined()]


def _named(listed: _Listed, parts: Floats, differences: Floats) -> Ints:
    """Return the entries that sentences name: of the first that move the score as it differs, those that count."""
    of_rows = differences[listed.rows]
    is_protected = np.array([entry.is_protected for entry in listed.entries], np.bool_)[listed.numbers]
    causes = np.flatnonzero(~is_protected & (parts * of_rows > 0))
    counts = np.bincount(listed.rows[causes], minlength=len(differences))
    ranks = np.arange(len(causes)) - (np.cumsum(counts) - counts)[listed.rows[causes]]
    counts_enough = (ranks == 0) | (np.abs(parts[causes]) >= LEAST_SHARE * np.abs(of_rows[causes]))
    return np.asarray(causes[(ranks < N_FEATURES) & counts_enough])


def _value_texts(listed: _Listed, named: Ints, naming: Naming) -> list[str]:
    """Return the values of some entries in words."""
    entries = [listed.entries[number] for number in listed.numbers[named].tolist()]
    cells = [listed.cells[index] for index in named.tolist()]
    plain = zip(cells, entries, strict=True)
    fractions = [cell if type(cell) is float and entry.is_plain else 0.0 for cell, entry in plain]
    texts = rounded_texts(np.array(fractions, np.float64))
    for index, text in enumerate(texts):
        if text is None:
            cell, entry = cells[index], entries[index]
            texts[index] = "" if entry.feature is None else naming.value(entry.name, json_number(cell))
    return texts  # type: ignore[return-value]  # none is None by now


def _encoded(texts: Sequence[str]) -> Texts:
    return Texts.of([text.encode() for text in texts])
