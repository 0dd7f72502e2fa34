"""A rule set: rules in their order, how many rows each decides, and how often it is right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from .classes import Classes
from .columns import ColumnName, ColumnNames
from .forms import Form
from .links import Links
from .pictures import picture
from .templating import render

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RulesContext:
    """What a drawing of a rule set can use beside its document; each part may be absent."""

    model: Json | None = None
    dataset: Json | None = None
    links: Links = field(default_factory=Links)
    holding: Sequence[int] = ()  # ranks of the rules that a given row satisfies
    remedies: Mapping[str, Form] = field(default_factory=dict)  # forms of what cautions ask for, by step


@picture("rule_set", ids="rls_", part="rules", words="rules", context=RulesContext, is_made_of_rows=True)
def draw_rule_set(document: Json, context: RulesContext) -> str:
    """Return the drawing of a ready answer of ``GET /v1/rule-sets/{id}``."""
    return render("rule_set", shown=_Shown(document, context))


class _Shown:
    """What the template shows of a rule set."""

    def __init__(self, document: Json, context: RulesContext) -> None:
        self.document, self.context, self.links = document, context, context.links
        self.result: Json = document["result"]
        self.is_regression = self.result["task"] == "regression"
        self.classes = Classes(self.result.get("classes") or [], context.dataset)
        self.n_rows: int = self.result["n_rows"]
        self.is_weighted = self.result["combination"] == "weighted_mean"

    @property
    def flow(self) -> list[tuple[Json, float, float]]:
        """Each rule with the shares of rows that are decided before it, and by it."""
        decided = [rule["support"] for rule in self.result["rules"]]
        before = accumulate(decided, initial=0)
        n = max(1, self.n_rows)
        return [
            (rule, start / n, own / n) for rule, start, own in zip(self.result["rules"], before, decided, strict=False)
        ]

    @property
    def meanings(self) -> list[ColumnName]:
        """What the columns in the rules mean."""
        conditions = (each for rule in self.result["rules"] for each in rule["conditions"])
        return ColumnNames(self.context.dataset).explained(each["feature"] for each in conditions)

    @property
    def default_share(self) -> float:
        """The share of rows that satisfy no rule."""
        return float(self.result["default_support"]) / max(1, self.n_rows)

    @property
    def trust(self) -> list[tuple[str, Json]]:
        """How well the rules, the model and the constant prediction do on the same rows; the model against a target."""
        measured = self.result["evaluation"]
        all_of_them = [
            ("the model", measured["model"]),
            ("these rules", measured["as_printed"]),
            ("always the same answer", measured["constant"]),
        ]
        return [(name, scores) for name, scores in all_of_them if scores is not None]
