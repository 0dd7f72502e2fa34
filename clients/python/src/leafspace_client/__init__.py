"""Leafspace from Python: register a model and data, make prototypes, explain predictions.

>>> from leafspace_client import Leafspace
>>> client = Leafspace("http://127.0.0.1:8000")
>>> model = client.register_model(forest, X)
>>> dataset = client.register_dataset((X, y))
>>> prototype_set = client.prototype_sets.create(model, dataset).wait()
>>> explainer = client.explainers.create(model, prototype_set)
>>> print(explainer.explain(X[:1])[0])
"""

from typing import TYPE_CHECKING

from .errors import (
    CannotConvert as CannotConvert,
    CannotWrite as CannotWrite,
    Conflict as Conflict,
    ConnectionFailed as ConnectionFailed,
    Forbidden as Forbidden,
    Invalid as Invalid,
    JobCancelled as JobCancelled,
    JobFailed as JobFailed,
    JobNotFinished as JobNotFinished,
    LeafspaceError as LeafspaceError,
    MissingExtra as MissingExtra,
    NotFound as NotFound,
    RateLimited as RateLimited,
    ServerError as ServerError,
    TooLarge as TooLarge,
    Unauthenticated as Unauthenticated,
    Unavailable as Unavailable,
    UnexpectedAnswer as UnexpectedAnswer,
    WrongArgument as WrongArgument,
)
from .suggestions import did_you_mean
from .version import __version__ as __version__

# What brings httpx and the contract is imported when it is first needed.
_LATE = {
    "approximation_trees": ("ApproximationTree", "AsyncApproximationTree"),
    "client": ("AsyncLeafspace", "Leafspace"),
    "comparisons": ("AsyncComparison", "Comparison"),
    "dictionaries": ("read_dictionary",),
    "evaluations": ("AsyncEvaluation", "Evaluation"),
    "explainer_names": ("AsyncNamedExplainer", "NamedExplainer"),
    "explainers": ("AsyncExplainer", "Explainer"),
    "explanation_sets": ("AsyncExplanationSet", "ExplanationSet"),
    "explanations": ("Explanation", "Explanations"),
    "feature_sets": ("AsyncFeatureSet", "FeatureRows", "FeatureSet"),
    "label_audits": ("AsyncLabelAudit", "LabelAudit"),
    "local_service": ("LocalLeafspace", "local"),
    "maps": ("AsyncMap", "Map"),
    "notices": ("Notice",),
    "plots": ("Plot",),
    "prototype_sets": ("AsyncPrototypeSet", "PrototypeSet"),
    "proximities": ("AsyncProximities", "Proximities"),
    "relational_datasets": ("AsyncRelationalDataset", "RelationalDataset"),
    "relational_forests": ("AsyncRelationalForest", "RelationalForest"),
    "reports": ("AsyncReport", "Report"),
    "retrying": ("RetryPolicy",),
    "rule_sets": ("AsyncRuleSet", "RuleSet"),
    "stored_explanations": ("AsyncStoredExplanation", "StoredExplanation"),
}
_MODULE_OF = {name: module for module, names in _LATE.items() for name in names}
__all__ = ["__version__", *_MODULE_OF, *(name for name, value in vars().items() if isinstance(value, type))]

if TYPE_CHECKING:  # the same names, for editors and type checkers
    from .approximation_trees import (
        ApproximationTree as ApproximationTree,
        AsyncApproximationTree as AsyncApproximationTree,
    )
    from .client import AsyncLeafspace as AsyncLeafspace, Leafspace as Leafspace
    from .comparisons import AsyncComparison as AsyncComparison, Comparison as Comparison
    from .dictionaries import read_dictionary as read_dictionary
    from .evaluations import AsyncEvaluation as AsyncEvaluation, Evaluation as Evaluation
    from .explainer_names import AsyncNamedExplainer as AsyncNamedExplainer, NamedExplainer as NamedExplainer
    from .explainers import AsyncExplainer as AsyncExplainer, Explainer as Explainer
    from .explanation_sets import AsyncExplanationSet as AsyncExplanationSet, ExplanationSet as ExplanationSet
    from .explanations import Explanation as Explanation, Explanations as Explanations
    from .feature_sets import AsyncFeatureSet as AsyncFeatureSet, FeatureRows as FeatureRows, FeatureSet as FeatureSet
    from .label_audits import AsyncLabelAudit as AsyncLabelAudit, LabelAudit as LabelAudit
    from .local_service import LocalLeafspace as LocalLeafspace, local as local
    from .maps import AsyncMap as AsyncMap, Map as Map
    from .notices import Notice as Notice
    from .plots import Plot as Plot
    from .prototype_sets import AsyncPrototypeSet as AsyncPrototypeSet, PrototypeSet as PrototypeSet
    from .proximities import AsyncProximities as AsyncProximities, Proximities as Proximities
    from .relational_datasets import (
        AsyncRelationalDataset as AsyncRelationalDataset,
        RelationalDataset as RelationalDataset,
    )
    from .relational_forests import AsyncRelationalForest as AsyncRelationalForest, RelationalForest as RelationalForest
    from .reports import AsyncReport as AsyncReport, Report as Report
    from .retrying import RetryPolicy as RetryPolicy
    from .rule_sets import AsyncRuleSet as AsyncRuleSet, RuleSet as RuleSet
    from .stored_explanations import (
        AsyncStoredExplanation as AsyncStoredExplanation,
        StoredExplanation as StoredExplanation,
    )


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        near = "" if name.startswith("_") else did_you_mean(name, __all__)
        message = f"module {__name__!r} has no attribute {name!r}{near}"
        raise AttributeError(message, name=name)
    from importlib import import_module  # only when something is needed

    value = getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
