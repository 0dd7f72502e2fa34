"""Explanations of many rows without options, written together as JSON: one by one, they would take thrice the time."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from tree_explainers.compute.byte_texts import Texts

from .cell_texts import texts_of_cells
from .effect_pieces import TextsOfEffects
from .near_prototypes import NearOfRows
from .sentences import NO_CAUSES, prediction_sentence
from .warm_explainer import WarmExplainer
from .written_rows import (
    RowPieces,
    SharedSentences,
    kind_of,
    labelled,
    percent,
    row_summary,
    shared_sentences,
    stated_outcome,
)

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

    @property
    def has_bands(self) -> bool:
        """Whether bands of a score decide, which are in the sentences of all rows."""
        return self.decided is not None and "bands" in self.decided[0]


def write_rows(warm: WarmExplainer, rows: ManyRows) -> list[bytes]:
    """Return an explanation of each row as JSON, the same as ``write_single``."""
    pieces = RowPieces.of(warm)
    columns = [
        *_summaries(warm, rows),
        *_predictions(pieces, rows),
        *_decisions(warm, pieces, rows),
        *_targets(rows),
        _standings(pieces, rows),
        _warnings(rows),
    ]
    nearest = _nearest(warm, pieces, rows.near)
    each = zip(Texts.side_by_side(columns), nearest, _ends(rows), strict=True)
    return [b"".join([beginning, *of_row, *end]) for beginning, of_row, end in each]


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
    standings = rows.near.standings
    yield _same(b'{"object":"explanation","row_id":', rows)
    yield texts_of_cells(rows.row_ids), np.arange(len(standings))
    yield Texts.of(_STATUS), np.array([standing.abstains for standing in standings], np.int64)
    shared, number_of, sentence_of = _shared(warm, rows)
    sentences = Texts.of([]) if rows.effects is None else rows.effects.sentences
    yield _firsts(warm, rows, sentence_of >= 0)
    yield Texts.together([Texts.of([b""]), sentences])[0], sentence_of + 1
    yield _escaped([each.start for each in shared]), number_of
    yield _proximities(rows, sentence_of >= 0)
    yield _escaped([each.behind for each in shared]), number_of
    firsts, numbers = _numbered(list(map(id, standings)))
    has_others = np.array([each.has_others for each in shared], np.bool_)[number_of]
    yield _escaped(["", *(standings[row].others for row in firsts)]), np.where(has_others, numbers + 1, 0)
    yield _escaped([each.end for each in shared]), number_of


def _escaped(texts: Sequence[str]) -> Texts:
    """Return texts as parts of one that is JSON."""
    return Texts.of([orjson.dumps(text)[1:-1] for text in texts])


def _firsts(warm: WarmExplainer, rows: ManyRows, are_shared: NDArray[np.bool_]) -> Column:
    """Return the sentence about each row's prediction, and a blank; nothing where it shares no sentences."""
    naming, own = warm.wording.naming, rows.has_bands or rows.compared[0] is None  # a value or a score is in them
    of_rows: Iterable[Hashable] = range(len(are_shared)) if own else zip(rows.compared, rows.targets, strict=True)
    keys = [key if of else None for key, of in zip(of_rows, are_shared.tolist(), strict=True)]
    firsts, numbers = _numbered(keys)
    texts = ["" if keys[row] is None else f"{prediction_sentence(_outcome(rows, row), naming)} " for row in firsts]
    return _escaped(texts), numbers


def _shared(warm: WarmExplainer, rows: ManyRows) -> tuple[list[SharedSentences], Ints, Ints]:
    """Return what rows share of their sentences, the number of each row's, and that of the one about its effects.

    The latter is -1 where the row shares nothing: all its sentences are its own then.
    """
    near, named, kinds = rows.near, _named(rows), {id(each): kind_of(each) for each in rows.near.standings}
    row_ids, shared = [each.head["row_id"] for each in near.prototypes], list[SharedSentences]()
    known, numbers, sentence_of = dict[Hashable, int | None](), list[int](), list[int]()
    decided = [each["outcome"] for each in rows.decided or ()] if rows.has_bands else [None] * len(rows.row_ids)
    for row, (first, end) in enumerate(pairwise(near.bounds)):
        sentence, row_id = named.get(row, (-1, None))
        number = None
        if sentence >= 0 and first < end:
            standing, prototype, share = near.standings[row], near.nearest[first], near.shares[first]
            of_row = rows.compared[row], decided[row], prototype, share < 1, row_id == row_ids[prototype]
            key = of_row, kinds[id(standing)]
            if key not in known:
                nearest = near.prototypes[prototype], share, standing
                sentences = shared_sentences(warm, nearest, _outcome(rows, row), row_id)
                known[key] = None if sentences is None else len(shared)
                shared += [] if sentences is None else [sentences]
            number = known[key]
        if number is None:
            number, sentence = len(shared), -1
            shared.append(SharedSentences(_alone(warm, rows, row), "", "", has_others=False))
        numbers.append(number)
        sentence_of.append(sentence)
    return shared, np.array(numbers, np.int64), np.array(sentence_of, np.int64)


def _alone(warm: WarmExplainer, rows: ManyRows, row: int) -> str:
    """Return the sentences of a row that shares them with no other."""
    written = None if rows.effects is None else rows.effects.get(row)
    causes = NO_CAUSES if written is None else written.causes
    return row_summary(warm, rows.near.of_row(row), _outcome(rows, row), causes)


def _proximities(rows: ManyRows, are_shared: NDArray[np.bool_]) -> Column:
    """Return the proximities of rows to their nearest prototypes, in words; empty where they share no sentences."""
    near, are_named = rows.near, are_shared.tolist()
    shares = [near.shares[first] if of else -1.0 for first, of in zip(near.bounds[:-1], are_named, strict=True)]
    firsts, numbers = _numbered(shares)
    return _escaped([percent(shares[row]) if are_named[row] else "" for row in firsts]), numbers


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


def _nearest(warm: WarmExplainer, pieces: RowPieces, near: NearOfRows) -> Iterator[list[bytes]]:
    """Yield the pieces of each row's nearest prototypes, without what ends the last one."""
    heads = [b"},%b" % pieces.near[id(each)] for each in warm.prototypes]
    every = [b',"reasons":'] * (4 * len(near.nearest))
    every[::4] = map(heads.__getitem__, near.nearest)
    every[1::4] = orjson.dumps(near.shares)[1:-1].split(b",") if near.shares else []
    every[3::4] = near.reasons
    for first, end in pairwise(near.bounds):
        of_row = every[4 * first : 4 * end]
        if of_row:
            of_row[0] = of_row[0].removeprefix(b"},")
        yield of_row


def _ends(rows: ManyRows) -> list[tuple[bytes, ...]]:
    """Return what follows the nearest prototypes of each row: its effects, where it has some."""
    closings = [b"}]" if first < end else b"]" for first, end in pairwise(rows.near.bounds)]
    ends: list[tuple[bytes, ...]] = [(closing, b"}") for closing in closings]
    if rows.effects is not None:
        for row, text in zip(rows.effects.numbers, rows.effects.json.as_list(), strict=True):
            ends[row] = closings[row], b',"effects":', text, b"}"
    return ends
