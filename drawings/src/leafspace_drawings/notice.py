"""Notices: a short letter about a decision, with its principal reasons and what would change it.

It holds nothing of other people: neither the id nor a value of the case that the row was compared with.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from .templating import render
from .words import number

Json = Mapping[str, Any]

TITLE = "About the decision"
_MARKED = re.compile(r"([\\`*_{}\[\]<>#|~])")
_MOST_CHANGES = 3


@dataclass(frozen=True, slots=True)
class Notice:
    """A letter: a heading, paragraphs and lists; printed, it is Markdown, and in notebooks HTML."""

    title: str
    outcome: str
    reasons: tuple[str, ...]
    compared: str  # with whom, in general terms; empty where nothing was compared
    changes: tuple[str, ...]  # each of which would change the outcome
    remark: str  # about the changes

    @property
    def markdown(self) -> str:
        """The letter as Markdown."""
        parts = [f"# {_plain(self.title)}", _plain(self.outcome)]
        if self.reasons:
            listed = (f"{position}. {_plain(reason)}" for position, reason in enumerate(self.reasons, 1))
            parts += ["## Principal reasons", "\n".join(listed)]
        parts += [_plain(self.compared)] if self.compared else []
        if self.changes or self.remark:
            parts += ["## What would change it", *["\n".join(f"- {_plain(each)}" for each in self.changes)]]
            parts += [_plain(self.remark)]
        return "\n\n".join(filter(None, parts)) + "\n"

    @property
    def html(self) -> str:
        """The letter as an HTML fragment, without script and style."""
        parts = [f"<h1>{escape(self.title)}</h1>", _paragraph(self.outcome)]
        if self.reasons:
            parts += ["<h2>Principal reasons</h2>", _list("ol", self.reasons)]
        parts += [_paragraph(self.compared)]
        if self.changes or self.remark:
            parts += ["<h2>What would change it</h2>", _list("ul", self.changes), _paragraph(self.remark)]
        return "\n".join(["<article>", *filter(None, parts), "</article>"])

    def __str__(self) -> str:
        return self.markdown

    def _repr_html_(self) -> str:
        return self.html


def notice_of(row: Json, title: str = TITLE) -> Notice:
    """Return the letter about an explained row: one of ``POST /v1/explainers/{id}/explanations``, not refused."""
    effects: Json = row.get("effects") or {}
    reasons: Sequence[Json] = effects.get("principal_reasons", ())
    outcome = _outcome(row)
    if not reasons and "principal_reasons" in effects:
        outcome += " No feature that may be named as a reason speaks for it."
    compared = ""
    if reasons:
        these = "these" if len(reasons) > 1 else "this"  # protected and hidden features may count more
        compared = (
            f"Of all that may be named as a reason, {these} counted most in a comparison with "
            f"{_others(effects['reference'])}."
        )
    # What would change an outcome is owed where it is adverse, as reasons are: of another it would be a worse one.
    options, remark = _changes(row.get("changes") if "principal_reasons" in effects else None)
    return Notice(title, outcome, tuple(map(_reason, reasons)), compared, tuple(options), remark)


def draw_letter(row: Json, title: str, why: str, changed: Sequence[str] = ()) -> str:
    """Return the letter about an explained row as a view.

    Parameters
    ----------
    row
        The row, as ``notice_of`` takes it.
    title
        Its heading; empty: the usual one.
    why
        The address of the view that explains the row.
    changed
        What those features are called whose values are not the row's own: the letter says so.
    """
    is_adverse = "principal_reasons" in (row.get("effects") or {})
    return render(
        "letter",
        letter=notice_of(row, title or TITLE),
        why=why,
        changed=changed,
        is_adverse=is_adverse,
        n_missing=sum(each["value"] is None for each in row.get("values", ())),
        warnings=row.get("warnings", ()),
        unnamed=_unnamed(row.get("effects") or {}),
    )


def _unnamed(effects: Json) -> list[str]:
    """Return what those protected features are called that count more than the first reason that is stated."""
    reasons = effects.get("principal_reasons")
    if not reasons:
        return []
    by_name = {each["feature"]: each["effect"] for each in effects["features"]}
    first = by_name.get(reasons[0]["feature"], 0.0)
    return [
        each.get("feature_text", each["feature"])
        for each in effects["features"]
        if each.get("protected") and each["effect"] * first > first * first
    ]


def _outcome(row: Json) -> str:
    """Return what is decided of a row, or else predicted, in a sentence: a value without bands decides nothing."""
    prediction = row["prediction"]
    if decision := row.get("decision"):
        return f"The decision is: {decision.get('outcome_text') or decision['outcome']}."
    if prediction["task"] == "regression":
        return f"The predicted value is: {number(prediction['value'])}."
    return f"The decision is: {prediction['label']}."


def _reason(reason: Json) -> str:
    return f"{reason['text']} ({reason['code']})" if reason.get("code") else str(reason["text"])


def _others(reference: Json) -> str:
    outcome = reference.get("outcome_text") or reference.get("outcome")
    of = f" whose decision is: {outcome}" if outcome else ""
    return {
        "contrast": f"a typical case{of}",
        "nearest": "a typical case that is similar",
        "prototypes": f"typical cases{of}",
        "rows": f"all known cases{of}",
    }.get(reference["kind"], "all known cases")


def _changes(changes: Json | None) -> tuple[Sequence[str], str]:
    """Return what would change the outcome, and what is to be said about it."""
    if not changes:
        return (), ""
    wished = changes.get("outcome_text") or changes["outcome"]
    # To leave a value out is no advice to anybody.
    offered = [
        each["changes"] for each in changes["options"] if all(change["to"] is not None for change in each["changes"])
    ]
    options = [" and ".join(change["text"] for change in parts) for parts in offered[:_MOST_CHANGES]]
    if not options:
        return (), f"No single change was found after which the decision would be: {wished}."
    any_of = "any of these changes" if len(options) > 1 else "this change"
    return options, f"After {any_of}, all else as it is, the decision of the same model would be: {wished}."


def _plain(text: str) -> str:
    """Return a text in which nothing is taken for Markdown."""
    return _MARKED.sub(r"\\\1", text)


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>" if text else ""


def _list(tag: str, items: Sequence[str]) -> str:
    inner = "".join(f"<li>{escape(item)}</li>" for item in items)
    return f"<{tag}>{inner}</{tag}>" if items else ""
