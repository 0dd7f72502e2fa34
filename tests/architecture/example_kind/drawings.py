"""A row count: one number."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from leafspace_drawings.fact_card import Fact, FactCard, draw_fact_card
from leafspace_drawings.forms import Form
from leafspace_drawings.links import Links
from leafspace_drawings.pictures import picture
from leafspace_drawings.words import count


@dataclass(frozen=True, slots=True)
class RowCountContext:
    """What a drawing of a row count can use beside its document."""

    model: Mapping[str, Any] | None = None
    dataset: Mapping[str, Any] | None = None
    links: Links = field(default_factory=Links)
    remedies: Mapping[str, Form] = field(default_factory=dict)  # forms of what cautions ask for, by step


@picture("row_count", ids="rct_", part="row-counts", words="row count", context=RowCountContext, is_made_of_rows=True)
def draw_row_count(document: Mapping[str, Any], _context: RowCountContext) -> str:
    """Return the drawing of a ready answer of ``GET /v1/row-counts/{id}``."""
    facts = [Fact("rows", count(document["result"]["n_rows"]))]
    return draw_fact_card(FactCard("Row count", "", facts, [], str(document["id"])))
