"""Make a comparison: two models on the same rows, or one model on two datasets."""

from schemas.comparisons import ComparisonRequest

from ..runtime.context import JobContext, Produced
from .dataset_comparison import compare_datasets
from .model_comparison import compare_models


def make_comparison(context: JobContext) -> Produced:
    """Make the artefact that a ``ComparisonRequest`` describes."""
    request = ComparisonRequest(**context.request)
    compare = compare_models if request.other_model is not None else compare_datasets
    return Produced(compare(context, request).model_dump_json().encode())
