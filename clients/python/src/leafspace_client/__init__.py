"""Leafspace from Python: register a model and data, make prototypes, explain predictions.

>>> from leafspace_client import Leafspace
>>> client = Leafspace("http://127.0.0.1:8000")
>>> model = client.register_model(forest, X)
>>> dataset = client.register_dataset((X, y))
>>> prototype_set = client.prototype_sets.create(model, dataset).wait()
>>> explainer = client.explainers.create(model, prototype_set)
>>> print(explainer.explain(X[:1])[0])
"""

from typing import TYPE_CHECKING, Any

from .errors import (
    CannotConvert,
    CannotWrite,
    Conflict,
    ConnectionFailed,
    Forbidden,
    Invalid,
    JobCancelled,
    JobFailed,
    JobNotFinished,
    LeafspaceError,
    MissingExtra,
    NotFound,
    RateLimited,
    ServerError,
    TooLarge,
    Unauthenticated,
    Unavailable,
    UnexpectedAnswer,
    WrongArgument,
)
from .version import __version__

if TYPE_CHECKING:
    from .approximation_trees import ApproximationTree, AsyncApproximationTree
    from .client import AsyncLeafspace, Leafspace
    from .explainer_names import AsyncNamedExplainer, NamedExplainer
    from .explainers import AsyncExplainer, Explainer
    from .explanation_sets import AsyncExplanationSet, ExplanationSet
    from .explanations import Explanation, Explanations
    from .feature_sets import AsyncFeatureSet, FeatureRows, FeatureSet
    from .label_audits import AsyncLabelAudit, LabelAudit
    from .local_service import LocalLeafspace, local
    from .maps import AsyncMap, Map
    from .prototype_sets import AsyncPrototypeSet, PrototypeSet
    from .proximities import AsyncProximities, Proximities
    from .relational_datasets import AsyncRelationalDataset, RelationalDataset
    from .relational_forests import AsyncRelationalForest, RelationalForest
    from .reports import AsyncReport, Report
    from .retrying import RetryPolicy
    from .rule_sets import AsyncRuleSet, RuleSet
    from .stored_explanations import AsyncStoredExplanation, StoredExplanation

# What brings httpx and the contract is imported when it is first needed.
_LATE = {
    "ApproximationTree": "approximation_trees",
    "AsyncApproximationTree": "approximation_trees",
    "AsyncExplainer": "explainers",
    "AsyncExplanationSet": "explanation_sets",
    "AsyncFeatureSet": "feature_sets",
    "AsyncLabelAudit": "label_audits",
    "AsyncLeafspace": "client",
    "AsyncMap": "maps",
    "AsyncNamedExplainer": "explainer_names",
    "AsyncPrototypeSet": "prototype_sets",
    "AsyncProximities": "proximities",
    "AsyncRelationalDataset": "relational_datasets",
    "AsyncRelationalForest": "relational_forests",
    "AsyncReport": "reports",
    "AsyncRuleSet": "rule_sets",
    "AsyncStoredExplanation": "stored_explanations",
    "Explainer": "explainers",
    "Explanation": "explanations",
    "ExplanationSet": "explanation_sets",
    "Explanations": "explanations",
    "FeatureRows": "feature_sets",
    "FeatureSet": "feature_sets",
    "LabelAudit": "label_audits",
    "Leafspace": "client",
    "LocalLeafspace": "local_service",
    "Map": "maps",
    "NamedExplainer": "explainer_names",
    "PrototypeSet": "prototype_sets",
    "Proximities": "proximities",
    "RelationalDataset": "relational_datasets",
    "RelationalForest": "relational_forests",
    "Report": "reports",
    "RetryPolicy": "retrying",
    "RuleSet": "rule_sets",
    "StoredExplanation": "stored_explanations",
    "local": "local_service",
}

__all__ = [
    "ApproximationTree",
    "AsyncApproximationTree",
    "AsyncExplainer",
    "AsyncExplanationSet",
    "AsyncFeatureSet",
    "AsyncLabelAudit",
    "AsyncLeafspace",
    "AsyncMap",
    "AsyncNamedExplainer",
    "AsyncPrototypeSet",
    "AsyncProximities",
    "AsyncRelationalDataset",
    "AsyncRelationalForest",
    "AsyncReport",
    "AsyncRuleSet",
    "AsyncStoredExplanation",
    "CannotConvert",
    "CannotWrite",
    "Conflict",
    "ConnectionFailed",
    "Explainer",
    "Explanation",
    "ExplanationSet",
    "Explanations",
    "FeatureRows",
    "FeatureSet",
    "Forbidden",
    "Invalid",
    "JobCancelled",
    "JobFailed",
    "JobNotFinished",
    "LabelAudit",
    "Leafspace",
    "LeafspaceError",
    "LocalLeafspace",
    "Map",
    "MissingExtra",
    "NamedExplainer",
    "NotFound",
    "PrototypeSet",
    "Proximities",
    "RateLimited",
    "RelationalDataset",
    "RelationalForest",
    "Report",
    "RetryPolicy",
    "RuleSet",
    "ServerError",
    "StoredExplanation",
    "TooLarge",
    "Unauthenticated",
    "Unavailable",
    "UnexpectedAnswer",
    "WrongArgument",
    "__version__",
    "local",
]


def __getattr__(name: str) -> Any:  # whatever has that name
    if name not in _LATE:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module  # only when something is needed

    value = getattr(import_module(f".{_LATE[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
