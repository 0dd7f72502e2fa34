"""Explanations of requests without options, written as JSON at once: of many rows, objects would take longer."""

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, cast

import orjson
from leafspace_drawings.words import share as percent

from .part_writers import ExplainedRow
from .sentences import Causes, summary
from .typicality import Standing
from .warm_explainer import WarmExplainer

_PIECES = "pieces of explanations"  # where an explainer has them
_SENTENCES, _MOST_SENTENCES = "sentences around effects", 10_000  # where an explainer has them, half a kilobyte each
_MARK = "\0"  # which hardly any text has


@dataclass(frozen=True, slots=True, eq=False)
class RowPieces:
    """What is the same of many rows. Threads may share it, as what it keeps is the same whoever makes it."""

    labels: tuple[bytes, ...]  # (n_classes,) of the prediction, from its beginning up to the first score
    scores: tuple[bytes, ...]  # (n_classes,) from the score before up to each; the first is empty
    near: dict[int, bytes]  # from the beginning of a prototype's entry up to its proximity, by the identity of the part
    standings: dict[int, tuple[Standing, bytes]]  # fields, by the identity of what they are of
    decisions: dict[str, tuple[bytes, bytes]]  # up to the score, and behind it, by outcome

    @staticmethod
    def of(warm: WarmExplainer) -> "RowPieces":
        """Return the pieces of an explainer's rows, which it keeps."""
        if (known := warm.known.get(_PIECES)) is None:
            known = warm.known[_PIECES] = RowPieces.build(warm)
        return cast("RowPieces", known)

    @staticmethod
    def build(warm: WarmExplainer) -> "RowPieces":
        """Prepare the pieces."""
        names = [orjson.dumps(name) for name in warm.model.classes]
        first = names[0] if names else b""
        labels = (
            b'{"task":"classification","label":%b,"scores":[{"label":%b,"value":' % (name, first) for name in names
        )
        near = {id(each): orjson.dumps(each.head)[:-1] + b',"proximity":' for each in warm.prototypes}
        others = (b'},{"label":%b,"value":' % name for name in names[1:])
        return RowPieces(tuple(labels), (b"", *others), near, {}, {})

    def prediction(self, explained: ExplainedRow) -> bytes:
        """Return the prediction of a row."""
        scores = orjson.dumps(explained.scores)[1:-1]
        if explained.label is None:
            return b'{"task":"regression","value":%b}' % scores
        pieces = [self.labels[explained.label]]
        for between, score in zip(self.scores, scores.split(b","), strict=True):
            pieces += between, score
        pieces.append(b'}],"near_tie":true}' if explained.near_tie else b"}]}")
        return b"".join(pieces)

    def decision(self, labelled: dict[str, Any]) -> bytes:
        """Return what is decided of a row, as a field."""
        outcome = labelled["outcome"]
        if (known := self.decisions.get(outcome)) is None:
            names = list(labelled)
            at = names.index("score")
            start, end = ({name: labelled[name] for name in part} for part in (names[:at], names[at + 1 :]))
            behind = b",%b" % orjson.dumps(end)[1:] if end else b"}"
            known = self.decisions[outcome] = b',"decision":%b,"score":' % orjson.dumps(start)[:-1], behind
        return b"%b%b%b" % (known[0], orjson.dumps(labelled["score"]), known[1])

    def standing(self, standing: Standing) -> bytes:
        """Return the fields that say where a row stands."""
        known = self.standings.get(id(standing))
        if known is None or known[0] is not standing:
            text = b",%b" % orjson.dumps(standing.document)[1:-1] if standing.document else b""
            known = self.standings[id(standing)] = standing, text  # which is held, so that no other takes its place
        return known[1]

    def nearest(self, explained: ExplainedRow) -> bytes:
        """Return the nearest prototypes of a row."""
        near = explained.near
        shares = orjson.dumps(near.shares)[1:-1].split(b",")
        parts = zip(near.prototypes, shares, near.reasons, strict=False)
        return b",".join([b'%b%b,"reasons":%b}' % (self.near[id(each)], share, text) for each, share, text in parts])


class RowFields(NamedTuple):
    """Fields of an explanation that are composed elsewhere."""

    row_id: str
    summary: str
    labelled: dict[str, Any] | None  # what is decided, with its label; None of a plain regression
    warnings: list[dict[str, str]]


def written_row(warm: WarmExplainer, explained: ExplainedRow, fields: RowFields) -> bytes:
    """Return an explanation as JSON, of the parts that requests without options get."""
    pieces, standing, effects = RowPieces.of(warm), explained.near.standing, explained.effects
    return b"".join(
        (
            b'{"object":"explanation","row_id":',
            orjson.dumps(fields.row_id),
            b',"status":"abstained","summary":' if standing.abstains else b',"status":"ok","summary":',
            orjson.dumps(fields.summary),
            b',"prediction":',
            pieces.prediction(explained),
            b"" if fields.labelled is None else pieces.decision(fields.labelled),
            b"" if explained.target is None else b',"target":%b' % orjson.dumps(explained.target),
            pieces.standing(standing),
            b',"warnings":%b,"nearest_prototypes":[' % (orjson.dumps(fields.warnings) if fields.warnings else b"[]"),
            pieces.nearest(explained),
            b"]}" if effects is None else b'],"effects":%b}' % effects.text,
        )
    )


def kept_summary(warm: WarmExplainer, explained: ExplainedRow, outcome: dict[str, Any], causes: Causes) -> str:
    """Return the sentences of an explanation; those around the one about effects are kept, as many rows share them."""
    near, first = explained.near, None
    if explained.near.prototypes:
        first = {**near.prototypes[0].head, "proximity": near.shares[0]}
    write = partial(
        summary,
        outcome,
        [] if first is None else [first],
        near.standing,
        naming=warm.wording.naming,
        read_reasons=lambda: orjson.loads(near.reasons[0]),
    )
    # A value or a score that is decided on is in the sentences, too.
    if not causes.sentence or first is None or "label" not in outcome or "bands" in (explained.decision or ()):
        return write(causes=causes)
    kept = warm.known.setdefault(_SENTENCES, {})
    share, target = first["proximity"], outcome.get("target")
    of_row = outcome["label"], target, id(near.prototypes[0]), id(near.standing), percent(share), share < 1
    key = of_row, causes.row_id == first["row_id"]
    if (marked := kept.get(key)) is None:
        if len(kept) > _MOST_SENTENCES:
            kept.clear()
        marked = kept[key] = write(causes=Causes(_MARK, causes.row_id))
    return marked.replace(_MARK, causes.sentence) if marked.count(_MARK) == 1 else write(causes=causes)
