"""Conversion: a fitted model of any supported library becomes ONNX with all that the graph does not say."""

from .models import ConvertedModel, convert_model

__all__ = ["ConvertedModel", "convert_model"]
