"""What Leafspace's API answers, as HTML and SVG without script."""

from .document import style_sheet, whole_document
from .explanation import WhyContext, draw_explanation
from .links import Links

__all__ = ["Links", "WhyContext", "draw_explanation", "style_sheet", "whole_document"]
