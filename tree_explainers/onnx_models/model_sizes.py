"""How large a model may be: each refusal names what there is too much of."""

import json
from collections.abc import Sequence

from ..errors import ModelRefused
from .description import ModelDescription, ModelLimits


def refuse_long_names(features: Sequence[str], classes: Sequence[str], limits: ModelLimits) -> None:
    """Refuse features and classes whose names are too long in all."""
    n_bytes = sum(len(name.encode("utf-8", "surrogatepass")) for name in (*features, *classes))
    if n_bytes > limits.max_name_bytes:
        detail = (
            f"The names of the {len(features):,} features and {len(classes):,} classes have {n_bytes:,} bytes in all; "
            f"at most {limits.max_name_bytes:,} are accepted: declare shorter `feature_names` or `classes`."
        )
        raise ModelRefused("model_too_complex", detail)


def refuse_large_description(description: ModelDescription, limits: ModelLimits) -> None:
    """Refuse a description that would take too much room as JSON."""
    n_bytes = len(json.dumps(description.to_json()))
    if n_bytes > limits.max_description_bytes:
        detail = (
            f"The description of the {len(description.columns):,} columns that the trees read has {n_bytes:,} bytes as "
            f"JSON, categories included; at most {limits.max_description_bytes:,} are accepted: shorten names and "
            "categories, or leave out columns."
        )
        raise ModelRefused("model_too_complex", detail)


def check_size(what: str, n: int, limit: int) -> None:
    """Refuse more of something than is accepted."""
    if n > limit:
        raise ModelRefused("model_too_complex", f"The model has {n:,} {what}; at most {limit:,} are accepted.")
