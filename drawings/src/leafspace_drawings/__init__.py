"""What Leafspace's API answers, as HTML and SVG without script."""

from .document import style_sheet, whole_document
from .explanation import WhyContext, draw_explanation
from .links import Links
from .prototype_set import SetContext, draw_prototype_set

__all__ = ["Links", "SetContext", "WhyContext", "draw_explanation", "draw_prototype_set", "style_sheet", "whole_document"]
