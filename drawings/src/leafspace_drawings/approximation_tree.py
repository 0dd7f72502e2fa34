"""The model as one tree, and as a questionnaire that asks no more than it needs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from .classes import Classes
from .links import Links
from .templating import render
from .tree_documents import Node, tree_of
from .tree_svg import write_svg
from .tree_texts import confidence, question

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TreeContext:
    """What a drawing of an approximation tree can use beside its document; each part may be absent."""

    model: Json | None = None
    dataset: Json | None = None
    next_question: Json | None = None  # the answer of the API to the answers so far
    answers: Mapping[str, Any] = field(default_factory=dict)
    links: Links = field(default_factory=Links)


def draw_approximation_tree(document: Json, context: TreeContext) -> str:
    """Return the drawing of a ready answer of ``GET /v1/approximation-trees/{id}``."""
    return render("approximation_tree", one=_One(document, context))


@dataclass(frozen=True, slots=True)
class Line:
    """A node in the indented list."""

    node: Node
    branch: str  # yes, no, or empty at the root
    question: str | None
    confidence: str


class _One:
    """What the template shows of a tree."""

    def __init__(self, document: Json, context: TreeContext) -> None:
        self.document, self.context, self.links = document, context, context.links
        self.result: Json = document["result"]
        self.is_regression = self.result["task"] == "regression"
        self.classes = Classes(self.result.get("classes") or [])
        self.tree = tree_of(self.result)

    @property
    def questions(self) -> str | None:
        """The address of the questionnaire."""
        return self.links.to("questions", self.document["id"])

    @property
    def picture(self) -> Markup:
        """The tree as SVG."""
        return Markup(write_svg(self.tree))  # noqa: S704  # every text in it is escaped

    @property
    def lines(self) -> Iterator[Line]:
        """The nodes in preorder."""
        branches: dict[int, str] = {}
        for node in self.tree.nodes:
            asked = None
            if node.left is not None and node.right is not None:
                branches |= {node.left: "yes", node.right: "no"}
                asked = question(node)
            yield Line(node, branches.get(node.id, ""), asked, confidence(node))
