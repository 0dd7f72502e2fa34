"""The model as one tree, and as a questionnaire of no more questions than a prediction needs."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from markupsafe import Markup

from .classes import COLOURS, Classes
from .columns import ColumnName, ColumnNames
from .forms import Form
from .links import Links
from .pictures import picture
from .templating import render
from .tree_documents import Node, tree_of, with_labels
from .tree_svg import CAPPED, EDGE, EMPTY_BAR, write_svg
from .tree_svg_parts import INK, LINE, MUTED
from .tree_texts import ABOUT_SETTLED, confidence, of_repeats, of_validation, question, settled

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TreeContext:
    """What a drawing of an approximation tree can use beside its document; each part may be absent."""

    model: Json | None = None
    dataset: Json | None = None
    next_question: Json | None = None  # the answer of the API to the answers so far
    answers: Mapping[str, Any] = field(default_factory=dict)
    links: Links = field(default_factory=Links)
    has_picture: bool = True  # the tree as SVG, beside the list of its nodes
    remedies: Mapping[str, Form] = field(default_factory=dict)  # forms of what cautions ask for, by step


@picture(
    "approximation_tree",
    ids="apt_",
    part="trees",
    words="tree",
    context=TreeContext,
    is_made_of_rows=True,
    smaller={"has_picture": False},
)
def draw_approximation_tree(document: Json, context: TreeContext) -> str:
    """Return the drawing of a ready answer of ``GET /v1/approximation-trees/{id}``."""
    return render("approximation_tree", one=_One(document, context))


@picture("next_question", context=lambda: None)
def draw_next_question(document: Json, _context: None = None) -> str:
    """Return the drawing of an answer of ``POST /v1/approximation-trees/{id}/next-question``, with nothing to press."""
    return render("next_question", step=document)


@dataclass(frozen=True, slots=True)
class Line:
    """A node in the indented list."""

    node: Node
    branch: str  # yes, no, or empty at the root
    question: str | None
    confidence: str
    settled: str


class _One:
    """What the template shows of a tree."""

    def __init__(self, document: Json, context: TreeContext) -> None:
        self.document, self.context, self.links = document, context, context.links
        self.result: Json = document["result"]
        self.is_regression = self.result["task"] == "regression"
        self.classes = Classes(self.result.get("classes") or [], context.dataset)
        self.tree = tree_of(self.result)
        self.names = ColumnNames(context.dataset)

    @property
    def meanings(self) -> list[ColumnName]:
        """What the columns in the questions mean."""
        return self.names.explained(node["feature"] for node in self.result["nodes"] if node["feature"] is not None)

    @property
    def remarks(self) -> list[str]:
        """How the depth was chosen, and how much repeats differ."""
        return [*of_validation(self.tree), *of_repeats(self.tree)]

    @property
    def questions(self) -> str | None:
        """The address of the questionnaire."""
        return self.links.to("questions", self.document["id"])

    @cached_property
    def picture(self) -> Markup:
        """The tree as SVG, whose shapes have classes beside their colours, so that it follows light and dark."""
        result = with_labels(self.result, self.classes.said)
        is_said = result is not self.result
        adverse = set(map(self.classes.said, self.classes.adverse)) if is_said else self.classes.adverse
        drawn = write_svg(tree_of(result), adverse)
        return Markup(_ELEMENT.sub(_with_classes, drawn))  # noqa: S704  # every text in it is escaped

    @property
    def is_wide(self) -> bool:
        """Whether the picture would be too small to read if all of its width were shown at once."""
        width = _WIDTH.search(self.picture)
        return width is not None and int(width[1]) > _WIDEST_AT_ONCE

    @property
    def is_tested(self) -> bool:
        """Whether splits have p-values."""
        return any(confidence(node) for node in self.tree.nodes)

    @property
    def lines(self) -> Iterator[Line]:
        """The nodes in preorder."""
        branches: dict[int, str] = {}
        for node in self.tree.nodes:
            text = None
            if node.left is not None and node.right is not None:
                branches |= {node.left: "yes", node.right: "no"}
                text = question(node)
            yield Line(node, branches.get(node.id, ""), text, confidence(node), settled(node))

    @property
    def adverse(self) -> list[str]:
        """The classes that are adverse to the person concerned, as people call them."""
        return [str(self.classes.said(label)) for label in self.classes.labels if label in self.classes.adverse]

    @property
    def about_settled(self) -> str | None:
        """What the mark of settled leaves means, if any is."""
        return ABOUT_SETTLED if any(settled(node) for node in self.tree.nodes) else None


_WIDTH, _WIDEST_AT_ONCE = re.compile(r' width="(\d+)"'), 1500  # pixels, of which a view has about 1,200
_ELEMENT = re.compile(r"<(rect|text|path) ([^>]*)>")
_COLOUR = re.compile(r'(fill|stroke)="(#[0-9a-f]{6})"')
_TOKENS = {INK: "ink", MUTED: "soft", LINE: "line", EDGE: "edge", CAPPED: "warn", EMPTY_BAR: "faint"}
_OF_SHAPES = {"#ffffff": "paper"} | {colour: f"c{number}" for number, colour in enumerate(COLOURS, 1)}


def _with_classes(element: re.Match[str]) -> str:
    """Return an element with a class for each of its colours that is a token of the style sheet."""
    tokens = _TOKENS | (_OF_SHAPES if element[1] == "rect" else {})
    found = [f"ls-{name}-{tokens[colour]}" for name, colour in _COLOUR.findall(element[2]) if colour in tokens]
    return f'<{element[1]} class="{" ".join(found)}" {element[2]}>' if found else element[0]
