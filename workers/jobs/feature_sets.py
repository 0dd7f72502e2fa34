"""Make a feature set by generating its features."""

from explanations.feature_sets import described_by_name
from schemas.feature_sets import MAX_GENERATED_FEATURES, FeatureSetRequest, FeatureSetResult
from storage.errors import StorageError
from tree_explainers.compute.progress import part_of
from tree_explainers.relational.generated_features import generated_features

from ..runtime.context import JobContext, Produced
from .relational_inputs import load_relational_rows

_READING = (0.0, 0.5)
_GENERATING = 0.5  # to the end


def make_feature_set(context: JobContext) -> Produced:
    """Make the artefact that a ``FeatureSetRequest`` with ``generate`` describes."""
    request = FeatureSetRequest(**context.request)
    read = load_relational_rows(context, request.relational_dataset, part_of(context.report, *_READING))
    context.report(_GENERATING, "generating features")
    depth = 1 if request.generate is None else request.generate.depth
    features = generated_features(read.rows.schema, depth)
    if not features:
        detail = "nothing can be generated: the examples have no column to read, and no other table has rows of theirs"
        raise StorageError("relational_language_empty", detail)
    listed = features[:MAX_GENERATED_FEATURES]
    described = described_by_name(listed, read.rows.schema)
    result = FeatureSetResult(n_features=len(listed), n_left_out=len(features) - len(listed), features=described)
    return Produced(result.model_dump_json().encode())
