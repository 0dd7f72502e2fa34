"""The collections of a client, one for each kind of things: its module is imported when the collection is first used.

A new kind is one line of ``Collections``, and one of the imports, which let editors and type checkers know it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

from .calls import Connected
from .transports import AsyncTransport, SyncTransport

if TYPE_CHECKING:
    from .api_keys import ApiKeys, AsyncApiKeys
    from .approximation_trees import ApproximationTrees, AsyncApproximationTrees
    from .comparisons import AsyncComparisons, Comparisons
    from .datasets import AsyncDatasets, Datasets
    from .evaluations import AsyncEvaluations, Evaluations
    from .explainer_names import AsyncExplainerNames, ExplainerNames
    from .explainers import AsyncExplainers, Explainers
    from .explanation_sets import AsyncExplanationSets, ExplanationSets
    from .feature_sets import AsyncFeatureSets, FeatureSets
    from .jobs import AsyncJobs, Jobs
    from .label_audits import AsyncLabelAudits, LabelAudits
    from .maps import AsyncMaps, Maps
    from .models import AsyncModels, Models
    from .prototype_sets import AsyncPrototypeSets, PrototypeSets
    from .proximities import AllProximities, AsyncAllProximities
    from .relational_forests import AsyncRelationalForests, RelationalForests
    from .reports import AsyncReports, Reports
    from .rule_sets import AsyncRuleSets, RuleSets
    from .stored_explanations import AsyncStoredExplanations, StoredExplanations

Blocking = TypeVar("Blocking")
Awaitable = TypeVar("Awaitable")


class BlockingClient(Connected):
    """A client whose methods block."""

    _transport: SyncTransport


class AwaitableClient(Connected):
    """A client whose methods are coroutines."""

    _transport: AsyncTransport


class Late(Generic[Blocking, Awaitable]):
    """The collection of all things of a kind, for either client; that of the async one has ``Async`` before its name.

    Parameters
    ----------
    module
        Where both are.
    name
        Name of the blocking one.
    """

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name, self._attribute = module, name, ""

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self._attribute = name

    @overload
    def __get__(self, client: None, owner: type[Any]) -> Self: ...

    @overload
    def __get__(self, client: BlockingClient, owner: type[Any]) -> Blocking: ...

    @overload
    def __get__(self, client: AwaitableClient, owner: type[Any]) -> Awaitable: ...

    def __get__(self, client: BlockingClient | AwaitableClient | None, owner: type[Any]) -> Any:
        if client is None:
            return self
        transport = client._transport  # noqa: SLF001  # a part of the client
        collection = self.collection_type(is_blocking=transport.is_blocking)(transport)
        vars(client)[self._attribute] = collection  # found there from now on
        return collection

    def collection_type(self, *, is_blocking: bool = True) -> Any:  # a class
        """Return the class of the collection, for either client; its module is imported now."""
        name = self._name if is_blocking else f"Async{self._name}"
        return getattr(import_module(f".{self._module}", __package__), name)

    def __repr__(self) -> str:
        return f"{self._name} of a client"


class Collections:
    """The collections of both clients."""

    models: "Late[Models, AsyncModels]" = Late("models", "Models")
    datasets: "Late[Datasets, AsyncDatasets]" = Late("datasets", "Datasets")
    relational_forests: "Late[RelationalForests, AsyncRelationalForests]" = Late(
        "relational_forests", "RelationalForests"
    )
    feature_sets: "Late[FeatureSets, AsyncFeatureSets]" = Late("feature_sets", "FeatureSets")
    prototype_sets: "Late[PrototypeSets, AsyncPrototypeSets]" = Late("prototype_sets", "PrototypeSets")
    explainers: "Late[Explainers, AsyncExplainers]" = Late("explainers", "Explainers")
    explainer_names: "Late[ExplainerNames, AsyncExplainerNames]" = Late("explainer_names", "ExplainerNames")
    proximities: "Late[AllProximities, AsyncAllProximities]" = Late("proximities", "AllProximities")
    label_audits: "Late[LabelAudits, AsyncLabelAudits]" = Late("label_audits", "LabelAudits")
    maps: "Late[Maps, AsyncMaps]" = Late("maps", "Maps")
    rule_sets: "Late[RuleSets, AsyncRuleSets]" = Late("rule_sets", "RuleSets")
    approximation_trees: "Late[ApproximationTrees, AsyncApproximationTrees]" = Late(
        "approximation_trees", "ApproximationTrees"
    )
    comparisons: "Late[Comparisons, AsyncComparisons]" = Late("comparisons", "Comparisons")
    evaluations: "Late[Evaluations, AsyncEvaluations]" = Late("evaluations", "Evaluations")
    explanation_sets: "Late[ExplanationSets, AsyncExplanationSets]" = Late("explanation_sets", "ExplanationSets")
    reports: "Late[Reports, AsyncReports]" = Late("reports", "Reports")
    explanations: "Late[StoredExplanations, AsyncStoredExplanations]" = Late(
        "stored_explanations", "StoredExplanations"
    )
    jobs: "Late[Jobs, AsyncJobs]" = Late("jobs", "Jobs")
    api_keys: "Late[ApiKeys, AsyncApiKeys]" = Late("api_keys", "ApiKeys")
