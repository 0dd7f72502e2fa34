"""Explanations of many rows without options, written together as JSON: one by one, they would take thrice the time."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from tree_explainers.compute.byte_texts import Texts

from .cell_texts import texts_of_cells
from .effect_pieces import TextsOfEffects
from .near_prototypes import NearOfRows
from .sentences import NO_CAUSES
from .warm_explainer import WarmExplainer
from .written_rows import RowPieces, labelled, row_summary, sentences_around, stated_outcome

Ints = NDArray[np.int64]
Column = tuple[Texts, Ints]
"""A piece of each row: texts, and the number of each row's among them, (n_rows,)."""

_STATUS = [b',"status":"ok","summary":"', b',"status":"abstained","summary":"']


class ManyRows(NamedTuple):
    """Rows to explain, by what is known of each, (n_rows,)."""

    row_ids: Sequence[str]
    scores: Sequence[list[float]]  # of classes, or the value alone
    labels: Ints | None  # indices of the predicted classes; None of a regression
    compared: Sequence[str | None]  # classes or outcomes that those of prototypes are compared with
    decided: Sequence[dict[str, Any]] | None  # None of a plain regression
    targets: Sequence[str | float | None]  # None: not known
    warnings: Mapping[int, list[dict[str, str]]]  # by row, of those that may have some
    near: NearOfRows
    effects: TextsOfEffects | None


def write_rows(warm: WarmExplainer, rows: ManyRows) -> list[bytes]:
    """Return an explanation of each row as JSON, the same as ``written_row``."""
    pieces = RowPieces.of(warm)
    columns = [
        *_summaries(warm, rows),
        *_predictions(pieces, rows),
        *_decisions(warm, pieces, rows),
        *_targets(rows),
        _standings(pieces, rows),
        _warnings(rows),
    ]
    beginnings, nearest = Texts.side_by_side(columns), _nearest(warm, pieces, rows.near)
    return list(map(b"".join, zip(beginnings, nearest, *_effects(rows), strict=True)))


def _same(text: bytes, rows: ManyRows) -> Column:
    return Texts.of([text]), np.zeros(len(rows.row_ids), np.int64)


def _numbered(keys: Sequence[Hashable]) -> tuple[list[int], Ints]:
    """Return the index of the first of each distinct key, and the number of each key among the distinct ones."""
    number_of: dict[Hashable, int] = {}
    numbers = [number_of.setdefault(key, len(number_of)) for key in keys]
    first_of = dict(zip(reversed(numbers), reversed(range(len(numbers))), strict=True))
    return [first_of[number] for number in range(len(number_of))], np.array(numbers, np.int64)


def _summaries(warm: WarmExplainer, rows: ManyRows) -> Iterator[Column]:
    """Yield what there is of each row up to its prediction."""
    n_rows, standings = len(rows.row_ids), rows.near.standings
    yield _same(b'{"object":"explanation","row_id":', rows)
    yield texts_of_cells(rows.row_ids), np.arange(n_rows)
    yield Texts.of(_STATUS), np.array([standing.abstains for standing in standings], np.int64)
    around, sentence_of = _around(warm, rows)
    firsts, numbers = _numbered(around)
    sentences = Texts.of([]) if rows.effects is None else rows.effects.sentences
    before, after = ([orjson.dumps(around[row][end])[1:-1] for row in firsts] for end in (0, 1))
    yield Texts.of(before), numbers
    yield Texts.together([Texts.of([b""]), sentences])[0], sentence_of + 1
    yield Texts.of(after), numbers


def _around(warm: WarmExplainer, rows: ManyRows) -> tuple[list[tuple[str, str]], Ints]:
    """Return the sentences before and behind those about effects, and which these are; -1: all are in the first."""
    around, sentence_of = list[tuple[str, str]](), np.full(len(rows.row_ids), -1, np.int64)
    near, effects, named = rows.near, rows.effects, _named(rows)
    for row, (first, end) in enumerate(pairwise(near.bounds)):
        outcome, (number, row_id), found = _outcome(rows, row), named.get(row, (-1, None)), None
        if number >= 0 and first < end:
            nearest = near.prototypes[near.nearest[first]], near.shares[first], near.standings[row]
            found, sentence_of[row] = sentences_around(warm, nearest, outcome, row_id), number
        if found is None:
            written = None if effects is None else effects.get(row)
            causes = NO_CAUSES if written is None else written.causes
            found, sentence_of[row] = (row_summary(warm, near.of_row(row), outcome, causes), ""), -1
        around.append(found)
    return around, sentence_of


def _named(rows: ManyRows) -> dict[int, tuple[int, str | None]]:
    """Return the rows of whose effects there is a sentence: its number, and the row that it names."""
    if rows.effects is None:
        return {}
    numbers, _, sentences, references, reference_of = rows.effects
    row_ids = [references[number].row_id for number in reference_of.tolist()]
    has_sentence = (sentences.starts < sentences.stops).tolist()
    return {row: (number, row_ids[number]) for row, number in numbers.items() if has_sentence[number]}


def _outcome(rows: ManyRows, row: int) -> dict[str, Any]:
    decided = None if rows.decided is None else rows.decided[row]
    return stated_outcome(rows.scores[row], rows.compared[row], decided, rows.targets[row])


def _predictions(pieces: RowPieces, rows: ManyRows) -> Iterator[Column]:
    """Yield the predictions of rows."""
    scores = texts_of_cells([*chain.from_iterable(rows.scores)])
    n_scores, each = len(rows.scores[0]), np.arange(len(rows.scores))
    if rows.labels is None:
        yield _same(b'","prediction":{"task":"regression","value":', rows)
        yield scores, each
        yield _same(b"}", rows)
        return
    yield Texts.of([b'","prediction":%b' % label for label in pieces.labels]), rows.labels
    for score, between in enumerate(pieces.scores):
        if score:
            yield _same(between, rows)
        yield scores, n_scores * each + score
    yield _same(b"}]}", rows)


def _decisions(warm: WarmExplainer, pieces: RowPieces, rows: ManyRows) -> Iterator[Column]:
    """Yield what is decided of rows."""
    if rows.decided is None:
        return
    firsts, numbers = _numbered([decided["outcome"] for decided in rows.decided])
    around = [pieces.around_score(labelled(warm, rows.decided[row])) for row in firsts]
    yield Texts.of([start for start, _ in around]), numbers
    yield texts_of_cells([decided["score"] for decided in rows.decided]), np.arange(len(numbers))
    yield Texts.of([end for _, end in around]), numbers


def _targets(rows: ManyRows) -> Iterator[Column]:
    if any(target is not None for target in rows.targets):
        texts = [b"" if target is None else b',"target":%b' % orjson.dumps(target) for target in rows.targets]
        yield Texts.of(texts), np.arange(len(texts))


def _standings(pieces: RowPieces, rows: ManyRows) -> Column:
    standings = rows.near.standings
    firsts, numbers = _numbered(list(map(id, standings)))
    return Texts.of([pieces.standing(standings[row]) for row in firsts]), numbers


def _warnings(rows: ManyRows) -> Column:
    """Return the warnings of rows, up to the first of their nearest prototypes."""
    numbers = np.zeros(len(rows.row_ids), np.int64)
    numbers[list(rows.warnings)] = np.arange(len(rows.warnings)) + 1
    texts = [b',"warnings":%b,"nearest_prototypes":[' % orjson.dumps(each) for each in ([], *rows.warnings.values())]
    return Texts.of(texts), numbers


def _nearest(warm: WarmExplainer, pieces: RowPieces, near: NearOfRows) -> Iterator[bytes]:
    """Yield the nearest prototypes of each row."""
    heads = [pieces.near[id(each)] for each in warm.prototypes]
    shares = orjson.dumps(near.shares)[1:-1].split(b",")
    parts = zip(map(heads.__getitem__, near.nearest), shares, near.reasons, strict=False)  # no shares are one text
    entries = [b'%b%b,"reasons":%b}' % part for part in parts]
    for start, end in pairwise(near.bounds):
        yield b",".join(entries[start:end])


def _effects(rows: ManyRows) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """Return what ends each row, in three parts: effects are in the middle."""
    n_rows = len(rows.row_ids)
    begins, effects, ends = [b"]}"] * n_rows, [b""] * n_rows, [b""] * n_rows
    if rows.effects is not None:
        for row, text in zip(rows.effects.numbers, rows.effects.json.as_list(), strict=True):
            begins[row], effects[row], ends[row] = b'],"effects":', text, b"}"
    return begins, effects, ends
