"""What Leafspace's API answers, as HTML and SVG without script."""

from .approximation_tree import TreeContext, draw_approximation_tree
from .document import style_sheet, whole_document
from .explanation import WhyContext, draw_explanation
from .label_audit import AuditContext, draw_label_audit
from .links import Links
from .model import ModelContext, draw_model
from .overview import Here, draw_jobs, draw_overview
from .prototype_set import SetContext, draw_prototype_set
from .rule_set import RulesContext, draw_rule_set

__all__ = [
    "AuditContext",
    "Here",
    "Links",
    "ModelContext",
    "RulesContext",
    "SetContext",
    "TreeContext",
    "WhyContext",
    "draw_approximation_tree",
    "draw_explanation",
    "draw_jobs",
    "draw_label_audit",
    "draw_model",
    "draw_overview",
    "draw_prototype_set",
    "draw_rule_set",
    "style_sheet",
    "whole_document",
]
