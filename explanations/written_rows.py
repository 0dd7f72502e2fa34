"""Explanations of requests without options, written as JSON at once: of many rows, objects would take longer."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, cast

import orjson
from leafspace_drawings.words import share as share_words

from .effect_pieces import WrittenEffects
from .near_prototypes import Near
from .sentences import NO_CAUSES, Causes, prediction_sentence, summary
from .typicality import Standing
from .warm_explainer import WarmExplainer, WarmPrototype

_PIECES = "pieces of explanations"  # where an explainer has them
_SENTENCES, _MOST_SENTENCES = "sentences around effects", 10_000  # where an explainer has them, half a kilobyte each
_FIRST_SENTENCES = "sentences about predictions"  # where an explainer has them
_MARKS = _SENTENCE, _PROXIMITY, _OTHERS = "\0", "\1", "\2"  # in place of what changes; hardly any text has these
percent = lru_cache(maxsize=1 << 12)(share_words)  # there are as many shares as trees, mostly


@dataclass(frozen=True, slots=True, eq=False)
class RowPieces:
    """What is the same of many rows. Threads may share it, as what it keeps is the same whoever makes it."""

    labels: tuple[bytes, ...]  # (n_classes,) of the prediction, from its beginning up to the first score
    scores: tuple[bytes, ...]  # (n_classes,) from the score before up to each; the first is empty
    near: dict[int, bytes]  # from the beginning of a prototype's entry up to its proximity, by the identity of the part
    standings: dict[int, tuple[Standing, bytes]]  # fields, by the identity of what they are of
    decisions: dict[str, tuple[bytes, bytes]]  # fields up to the score, and behind it, by outcome

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

    def prediction(self, scores: list[float], label: int | None) -> bytes:
        """Return the prediction of a row whose scores do not tie: those of classes, or its value without a label."""
        texts = orjson.dumps(scores)[1:-1]
        if label is None:
            return b'{"task":"regression","value":%b}' % texts
        pieces = [self.labels[label]]
        for between, score in zip(self.scores, texts.split(b","), strict=True):
            pieces += between, score
        pieces.append(b"}]}")
        return b"".join(pieces)

    def decision(self, labelled: dict[str, Any]) -> bytes:
        """Return what is decided of a row, as a field."""
        start, end = self.around_score(labelled)
        return b"%b%b%b" % (start, orjson.dumps(labelled["score"]), end)

    def around_score(self, labelled: dict[str, Any]) -> tuple[bytes, bytes]:
        """Return the field of what is decided before the score, and behind it."""
        outcome = labelled["outcome"]
        if (known := self.decisions.get(outcome)) is None:
            names = list(labelled)
            at = names.index("score")
            start, end = ({name: labelled[name] for name in part} for part in (names[:at], names[at + 1 :]))
            behind = b",%b" % orjson.dumps(end)[1:] if end else b"}"
            known = self.decisions[outcome] = b',"decision":%b,"score":' % orjson.dumps(start)[:-1], behind
        return known

    def standing(self, standing: Standing) -> bytes:
        """Return the fields that say where a row stands."""
        known = self.standings.get(id(standing))
        if known is None or known[0] is not standing:
            text = b",%b" % orjson.dumps(standing.document)[1:-1] if standing.document else b""
            known = self.standings[id(standing)] = standing, text  # which is held, so that no other takes its place
        return known[1]

    def nearest(self, near: Near) -> bytes:
        """Return the nearest prototypes of a row."""
        shares = orjson.dumps(near.shares)[1:-1].split(b",")
        parts = zip(near.prototypes, shares, near.reasons, strict=False)
        return b",".join([b'%b%b,"reasons":%b}' % (self.near[id(each)], share, text) for each, share, text in parts])


class RowParts(NamedTuple):
    """What the explanation of a row without options is written of; no two of its scores nearly tie."""

    row_id: str
    values: Sequence[Any]  # as sent, in the order of the features
    is_usual: bool  # nothing of it is missing, and all of it is within the ranges of the reference rows
    scores: list[float]  # of classes, or the value alone
    label: int | None  # index of the predicted class; None of a regression
    compared: str | None  # class or outcome that those of prototypes are compared with
    decision: dict[str, Any] | None  # None of a plain regression
    target: str | float | None  # None: not known
    near: Near
    effects: WrittenEffects | None  # None: it has none, or they are not included


def written_row(warm: WarmExplainer, row: RowParts) -> bytes:
    """Return the explanation of a row as JSON."""
    pieces, standing, decided, effects = RowPieces.of(warm), row.near.standing, row.decision, row.effects
    stated = stated_outcome(row.scores, row.compared, decided, row.target)
    sentences = row_summary(warm, row.near, stated, NO_CAUSES if effects is None else effects.causes)
    warnings = [] if row.is_usual else warm.wording.warnings.of_row(row.values)
    return b"".join(
        (
            b'{"object":"explanation","row_id":',
            orjson.dumps(row.row_id),
            b',"status":"abstained","summary":' if standing.abstains else b',"status":"ok","summary":',
            orjson.dumps(sentences),
            b',"prediction":',
            pieces.prediction(row.scores, row.label),
            b"" if decided is None else pieces.decision(labelled(warm, decided)),
            b"" if row.target is None else b',"target":%b' % orjson.dumps(row.target),
            pieces.standing(standing),
            b',"warnings":%b,"nearest_prototypes":[' % (orjson.dumps(warnings) if warnings else b"[]"),
            pieces.nearest(row.near),
            b"]}" if effects is None else b'],"effects":%b}' % effects.text,
        )
    )


class SharedSentences(NamedTuple):
    """The sentences behind the one about effects without what changes from row to row: many rows share them."""

    start: str  # up to the proximity of the nearest prototype
    behind: str  # from there up to how many other rows are nearer to theirs
    end: str
    has_others: bool  # they say how many other rows are

    def of_row(self, share: float, standing: Standing) -> str:
        """Return those of a row, from its proximity and where it stands."""
        others = standing.others if self.has_others else ""
        return f"{self.start}{percent(share)}{self.behind}{others}{self.end}"


def row_summary(warm: WarmExplainer, near: Near, outcome: dict[str, Any], causes: Causes) -> str:
    """Return the sentences of an explanation; ``outcome`` is what ``summary`` takes as the prediction."""
    if causes.sentence and near.prototypes:
        nearest = near.prototypes[0], near.shares[0], near.standing
        if (shared := shared_sentences(warm, nearest, outcome, causes.row_id)) is not None:
            return f"{_first_sentence(warm, outcome)} {causes.sentence}{shared.of_row(near.shares[0], near.standing)}"
    return _summary(warm, near, outcome, causes)


def _first_sentence(warm: WarmExplainer, outcome: dict[str, Any]) -> str:
    """Return the sentence about a row's prediction; of rows of unknown targets, one of each class is kept."""
    label, naming = outcome.get("label"), warm.wording.naming
    if label is None or "target" in outcome or "bands" in outcome.get("decision", ()):
        return prediction_sentence(outcome, naming)
    kept = warm.known.setdefault(_FIRST_SENTENCES, {})
    if label not in kept:
        kept[label] = prediction_sentence(outcome, naming)
    return cast("str", kept[label])


def shared_sentences(
    warm: WarmExplainer,
    nearest: tuple[WarmPrototype, float, Standing],
    outcome: dict[str, Any],
    row_id: str | None,
) -> SharedSentences | None:
    """Return the sentences that a row shares with others, which are kept; ``None`` where names forbid it.

    Parameters
    ----------
    nearest
        The nearest prototype, its proximity as a share, and where the row stands.
    row_id
        The row that the sentence about effects names.
    """
    prototype, share, standing = nearest
    decided = outcome.get("decision", {})
    stated = outcome.get("label"), decided["outcome"] if "bands" in decided else None
    of_row = stated, id(prototype), share < 1, row_id == prototype.head["row_id"]
    kept, key = warm.known.setdefault(_SENTENCES, {}), (of_row, kind_of(standing))
    if key not in kept:
        if len(kept) > _MOST_SENTENCES:
            kept.clear()
        standing = standing._replace(others=standing.others and _OTHERS)
        near, causes = Near([prototype], [share], [], [], standing), Causes(_SENTENCE, row_id)
        kept[key] = _parted(_summary(warm, near, outcome, causes, _PROXIMITY))
    return cast("SharedSentences | None", kept.get(key))


def kind_of(standing: Standing) -> tuple[bool, bool, str]:
    """Return what of a row's standing decides on the sentences around it."""
    return standing.is_far, bool(standing.others), standing.abstention


def _parted(marked: str) -> SharedSentences | None:
    """Return sentences with marks as those that rows share; ``None`` where some name has a mark, too."""
    if [mark for mark in marked if mark in _MARKS] not in ([*_MARKS], [*_MARKS[:2]]):
        return None
    start, _, rest = marked.partition(_SENTENCE)[2].partition(_PROXIMITY)
    behind, others, end = rest.partition(_OTHERS)
    return SharedSentences(start, behind, end, has_others=bool(others))


def _summary(
    warm: WarmExplainer, near: Near, outcome: dict[str, Any], causes: Causes, proximity: str | None = None
) -> str:
    nearest = [{**each.head, "proximity": share} for each, share in zip(near.prototypes[:1], near.shares, strict=False)]
    return summary(
        outcome,
        nearest,
        near.standing,
        naming=warm.wording.naming,
        read_reasons=lambda: orjson.loads(near.reasons[0]),
        causes=causes,
        proximity=proximity,
    )


def labelled(warm: WarmExplainer, decided: dict[str, Any]) -> dict[str, Any]:
    """Return what is decided with the label of its outcome, where it has one."""
    outcome = {"outcome": decided["outcome"], **warm.wording.words.outcome_text(decided["outcome"])}
    return outcome | decided


def stated_outcome(
    scores: list[float],
    label: str | None,
    decided: dict[str, Any] | None,
    target: str | float | None,
) -> dict[str, Any]:
    """Return what sentences say of a row's outcome.

    Parameters
    ----------
    label
        The class or outcome that those of prototypes are compared with; None: the value is.
    decided
        What is decided; None of a plain regression.
    target
        The row's own class or value, where that is known.
    """
    outcome: dict[str, Any] = {"label": label} if label is not None else {"value": scores[0]}
    if decided is not None:
        outcome["decision"] = decided
    if target is not None:
        outcome["target"] = target
    return outcome
