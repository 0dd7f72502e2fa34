"""Which features were made of several tables: each a query in words."""

from collections.abc import Mapping
from typing import Any

from .pictures import picture
from .templating import render

Json = Mapping[str, Any]

N_FEATURES_SHOWN = 500


def _n_shown(n_shown: int = N_FEATURES_SHOWN) -> int:
    return n_shown


@picture("feature_set", ids="fts_", words="feature set", context=_n_shown, brief={"n_shown": 24})
def draw_feature_set(document: Json, n_shown: int = N_FEATURES_SHOWN) -> str:
    """Return the drawing of a ready answer of ``GET /v1/feature-sets/{id}``: its first features."""
    result = document["result"]
    return render("feature_set", document=document, result=result, features=result["features"][:n_shown])
