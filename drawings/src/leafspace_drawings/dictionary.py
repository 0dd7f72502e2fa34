"""The dictionary of a dataset as a form: what features, values and outcomes are called, and how they may be used."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .links import Links
from .templating import render
from .words import name_or_id

Json = Mapping[str, Any]

_MOST_VALUES = 30  # of a feature that have a field each
_TRUTH = ("true", "false")
_FLAGS = {
    "fixed": "never changed",
    "only_up": "only rises",
    "only_down": "only falls",
    "protected": "protected: no reason, never changed",
    "hidden": "hidden: nothing of it is shown",
}
_MORE = {
    "reason_code": ("code as a reason", 40),
    "reason_text": ("text as a reason", 2000),
    "group": ("counts as one with others of the group", 255),
}  # texts that few features have, and their most characters


@dataclass(frozen=True, slots=True)
class DictionaryForm:
    """The words for a dataset, to be changed."""

    dataset: Json  # with all columns
    words: Json = field(default_factory=dict)  # a request of ``PUT /v1/datasets/{id}/dictionary`` that keeps them
    revision: int | None = None  # None: there is no dictionary
    saved: str = ""  # when, as the API writes times
    saved_by: str | None = None  # the name of the key, or the id of one that was revoked; None: none was required
    outcomes: Sequence[str] = ()  # classes and outcomes that can have words
    start: int = 0  # the first feature that has fields
    n_shown: int = 60
    links: Links = field(default_factory=Links)
    like: Json | None = None  # another dataset, whose words these are: they are not saved yet
    alike: Sequence[Json] = ()  # datasets of the same features, with whose words the form can begin

    @property
    def beginnings(self) -> list[tuple[str, str]]:
        """Names of the datasets with whose words the form can begin, each with the address of that."""
        here = self.links.to("dictionary", self.dataset["id"])
        return [(name_or_id(each), f"{here}?like={each['id']}") for each in self.alike if here and each != self.like]

    @property
    def words_text(self) -> str:
        """The words as JSON."""
        return json.dumps(self.words)

    @property
    def features(self) -> list["FeatureFields"]:
        """The features that have fields."""
        entries = {each["name"]: each for each in self.words.get("features", ())}
        features = [column for column in self.dataset["columns"] if column["role"] == "feature"]
        shown = features[self.start : self.start + self.n_shown]
        return [FeatureFields(column, entries.get(column["name"], {})) for column in shown]

    @property
    def named_outcomes(self) -> list[tuple[str, str, bool]]:
        """Each outcome, what it is called, and whether it is adverse."""
        entries = {each["name"]: each for each in self.words.get("outcomes", ())}
        names = dict.fromkeys([*self.outcomes, *entries])
        found = [(name, entries.get(name, {})) for name in names]
        return [(name, entry.get("label") or "", bool(entry.get("adverse"))) for name, entry in found]

    @property
    def pages(self) -> list[tuple[str, str | None, bool]]:
        """Where there are many features: each page with its address, and whether it is this one."""
        n_features = sum(column["role"] == "feature" for column in self.dataset["columns"])
        starts = range(0, n_features, self.n_shown) if n_features > self.n_shown else ()
        here = self.links.to("dictionary", self.dataset["id"])
        return [
            (f"{start + 1} to {min(start + self.n_shown, n_features)}", f"{here}?from={start}", start == self.start)
            for start in starts
        ]


class FeatureFields:
    """The fields of a feature."""

    def __init__(self, column: Json, entry: Json) -> None:
        self.name: str = column["name"]
        self.is_number = column["type"] == "number"
        self.label: str = entry.get("label") or ""
        self.unit: str = entry.get("unit") or ""
        self.description: str = entry.get("description") or ""
        decimals = entry.get("decimals")
        self.decimals: str = "" if decimals is None else str(decimals)
        self.more = [(name, text, entry.get(name) or "", most) for name, (text, most) in _MORE.items()]
        not_meant = {"only_up", "only_down"} if column["type"] == "category" else set()
        self.flags = [(name, text, bool(entry.get(name))) for name, text in _FLAGS.items() if name not in not_meant]
        labels = {each["value"]: each["label"] for each in entry.get("values", ())}
        known = list(_TRUTH) if column["type"] == "boolean" else list(column.get("categories") or ())
        self.values = [(value, labels.get(value, "")) for value in dict.fromkeys([*labels, *known])][:_MOST_VALUES]
        if not self.is_number:
            order = {value: place for place, value in enumerate(known)}
            self.values.sort(key=lambda each: order.get(each[0], len(order)))


def draw_dictionary(form: DictionaryForm) -> str:
    """Return the form."""
    return render("dictionary", form=form, title=name_or_id(form.dataset))
