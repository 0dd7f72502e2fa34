"""Dictionaries: the words of a domain for a dataset's features and outcomes, which can be replaced at any time."""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Literal, LiteralString, Self

from pydantic import Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from .contract import OBJECT, Contract, Lines, Many, Name

MAX_DICTIONARY_BYTES = 1 << 20
"""Of a dictionary as JSON: explainers hold those of their datasets in memory."""

_MAX_ENTRIES = 10_000
_Text = Annotated[Lines, StringConstraints(min_length=1, max_length=2000)]


class ValueWords(Contract):
    """What a value of a feature is called."""

    value: Annotated[str, StringConstraints(max_length=255)] = Field(
        description="The value as text: a category, a number such as `3`, or `true` or `false`.", examples=["A34"]
    )
    label: Name = Field(description="What texts say instead.", examples=["critical account"])


class FeatureWords(Contract):
    """What a feature is called, and how explanations may use it."""

    name: Name = Field(description="Name of the feature, as in the dataset.", examples=["duration"])
    label: Name | None = Field(
        default=None, description="What texts say instead; null: the name itself.", examples=["duration of the loan"]
    )
    description: _Text | None = Field(default=None, description="What it means, in a sentence or two; null: not given.")
    unit: Name | None = Field(default=None, description="Unit of its numbers; null: none.", examples=["months"])
    decimals: int | None = Field(
        default=None,
        ge=0,
        le=9,
        strict=True,
        description="Decimals to which texts round its values; null: none are cut off. Ends of conditions are never "
        "rounded by it.",
    )
    plain_digits: bool | None = Field(
        default=None,
        strict=True,
        description="Whether its numbers are written without commas of thousands, as years and codes are; null: where "
        "all are whole numbers from 1500 to 2100.",
    )
    values: Many[ValueWords] = Field(
        default=[], max_length=1000, description="What its values are called; others are shown as they are."
    )
    group: Name | None = Field(
        default=None,
        description="Group of features that count as one in effects, by this name; null: it counts by itself.",
        examples=["income"],
    )
    fixed: bool = Field(default=False, strict=True, description="Whether no change of a row may change it.")
    only_up: bool = Field(default=False, strict=True, description="Whether changes of a row may only raise it.")
    only_down: bool = Field(default=False, strict=True, description="Whether changes of a row may only lower it.")
    hidden: bool = Field(
        default=False, strict=True, description="Whether explanations show nothing of it: no name, no value, no effect."
    )
    protected: bool = Field(
        default=False,
        strict=True,
        description="Whether it is never a principal reason, never changed, and never in a notice; effects show it.",
    )
    reason_code: Annotated[Name, StringConstraints(max_length=40)] | None = Field(
        default=None, description="Code of the principal reason that it is; null: none.", examples=["R12"]
    )
    reason_text: _Text | None = Field(
        default=None,
        description="What a notice says where it is a principal reason; null: its label.",
        examples=["The loan would run for long."],
    )


class OutcomeWords(Contract):
    """What a class or an outcome is called."""

    name: Name = Field(description="The class or outcome, as the model has it.", examples=["2"])
    label: Name | None = Field(
        default=None, description="What texts say instead; null: the name itself.", examples=["bad risk"]
    )
    adverse: bool = Field(
        default=False, strict=True, description="Whether it is adverse to the person concerned: a notice gives reasons."
    )


class DictionaryRequest(Contract):
    """The words for a dataset's features and outcomes; what is not listed is called by its name."""

    features: Many[FeatureWords] = Field(default=[], max_length=_MAX_ENTRIES, description="Words for features.")
    outcomes: Many[OutcomeWords] = Field(
        default=[], max_length=_MAX_ENTRIES, description="Words for classes, and for outcomes of decisions."
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        for message, name in self._faults():
            raise PydanticCustomError("dictionary", message, {"name": repr(name[:80])})
        return self

    def _faults(self) -> Iterator[tuple[LiteralString, str]]:
        """Yield what is wrong whatever the dataset is, with the entry that it is wrong with."""
        for name in _repeated([feature.name for feature in self.features]):
            yield "features: {name} is described more than once; describe each feature once", name
        for name in _repeated([outcome.name for outcome in self.outcomes]):
            yield "outcomes: {name} is described more than once; describe each outcome once", name
        for feature in self.features:
            if _repeated([value.value for value in feature.values]):
                yield "features: {name} has two labels for one value; give each value one label", feature.name
            if feature.fixed and (feature.only_up or feature.only_down):
                yield "features: {name} is fixed and may still rise or fall; leave one of these out", feature.name
            if feature.only_up and feature.only_down:
                yield "features: {name} may only rise and only fall; say `fixed` if it may do neither", feature.name


def _repeated(names: list[str]) -> list[str]:
    known: set[str] = set()
    return [name for name in names if name in known or known.add(name)]  # type: ignore[func-returns-value]


class DictionaryUsed(Contract):
    """The dictionary whose words something has that was made with them, and keeps them."""

    dataset: str = Field(description="Id of the dataset.")
    revision: int = Field(description="`revision` of its dictionary at that time; 0: there never was one.")


class Dictionary(DictionaryRequest):
    """The dictionary of a dataset."""

    object: Annotated[Literal["dictionary"], OBJECT] = "dictionary"
    dataset: str = Field(description="Id of the dataset.")
    revision: int = Field(
        description="Grows with each change of the dictionary; in double quotes it is the entity tag, for `If-Match`."
    )
    saved_at: datetime = Field(description="Time at which it was saved, in UTC (RFC 3339).")
    key: str | None = Field(
        description="Id of the API key that saved it; null where none was required, or where it is not known, as of "
        "those that were saved by version 0.1.0."
    )
