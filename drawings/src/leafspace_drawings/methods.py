"""How results are made, in the words of forms and lists."""

from collections.abc import Mapping
from typing import Any

METHODS: Mapping[str, str] = {
    "sm_a": "coverage",
    "sm_u": "coverage, as many of each class",
    "sm_wa": "coverage, classes by their rows",
    "sg": "what predicts best",
    "a_pete": "coverage, until more add little",
    "k_medoids": "all rows together",
    "rule_list": "short list that predicts well",
    "fab": "regions, their number found",
    "em": "regions, their number given",
    "in_trees": "paths of its own trees",
    "node_harvest": "weighted nodes of its own trees",
    "decision_tree": "small tree on the rows",
    "sta": "tested for stability",
    "ism": "from the ensemble itself",
    "born_again": "depth by validation",
    "cart": "plain",
    "all_rows": "all rows vote",
    "neighbors": "nearest rows vote",
}
"""By method of a request; ``auto`` of trees and audits has none."""


def requested_method(request: Mapping[str, Any]) -> str:
    """Return by which method a result was requested, behind what it is; nothing where none was chosen."""
    method = request.get("method")
    return f": {METHODS.get(method, method)}" if method and method != "auto" else ""
