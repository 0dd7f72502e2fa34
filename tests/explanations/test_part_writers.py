"""A part of explanations is declared once: its field, its writer and its name in requests are of that declaration."""

import pytest
from pydantic import ValidationError

from explanations import part_writers
from explanations.included_parts import refuse_to_include
from schemas.explainers import Explainer
from schemas.explanation_parts import INCLUDE, PARTS, OptionalParts, Part
from schemas.explanation_sets import ExplanationParts
from schemas.explanations import AbstainedRow, ExplainedRow
from storage.errors import StorageError


def test_each_part_with_a_field_has_that_field_and_a_writer() -> None:
    declared = {part.field: part.name for part in PARTS if part.field is not None}
    assert declared.keys() == OptionalParts.model_fields.keys()
    assert set(declared.values()) == part_writers._WRITERS.keys()
    for row in (ExplainedRow, AbstainedRow):
        assert list(row.model_fields)[-len(declared) :] == list(OptionalParts.model_fields)


def test_a_part_without_a_declaration_has_no_writer() -> None:
    with pytest.raises(KeyError, match="colours"):
        part_writers._writes("colours")(lambda *_: None)


@pytest.mark.parametrize("part", [part for part in PARTS if not part.is_default], ids=lambda part: part.name)
def test_a_part_is_included_by_its_name(part: Part) -> None:
    assert ExplanationParts.model_validate({"include": [part.name]}).include == [part.name]
    assert f"`{part.name}`: {part.description}" in INCLUDE


def test_another_name_is_no_part() -> None:
    with pytest.raises(ValidationError, match="'values', 'intervals', 'contrast'"):
        ExplanationParts.model_validate({"include": ["colours"]})


@pytest.mark.parametrize("part", [part for part in PARTS if part.needs], ids=lambda part: part.name)
def test_a_part_is_refused_where_the_explainer_lacks_what_it_needs(part: Part) -> None:
    assert part.needs in Explainer.model_fields
    refuse_to_include([part.name], (), "xpl_1")
    with pytest.raises(StorageError, match=f"explainer 'xpl_1' has {part.lack[:20]}"):
        refuse_to_include(["values", part.name], {part.needs}, "xpl_1")
