"""Approximation trees: one tree that approximates a whole ensemble."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

from .arguments import checked
from .artefacts import (
    TABLE_MEDIA_TYPES,
    ArtefactView,
    AwaitableArtefact,
    BlockingArtefact,
    Content,
    TableForm,
    content,
    download,
)
from .calls import Program, awaitable, blocking, call_of, create, fetch
from .contract.approximation_trees import (
    create_approximation_tree,
    delete_approximation_tree,
    export_approximation_tree,
    get_approximation_tree,
    get_approximation_tree_content,
    get_next_question,
    list_approximation_trees,
)
from .errors import WrongArgument
from .fields import REQUIRED
from .frames import nodes_frame
from .nouns import AsyncDeletable, Collection, Identified, Noun, Settings, SyncDeletable, id_of, id_or_none, unless_none
from .records import Record
from .rows import named_instance, sent
from .texts import describe_tree, describe_tree_figures, outcome_words
from .types import (
    UNSET,
    ApproximationNode,
    ApproximationTreeChooseBy,
    ApproximationTreeCompare,
    ApproximationTreeEvaluation,
    ApproximationTreeFittedOn,
    ApproximationTreeLeafProbabilities,
    ApproximationTreeMethod,
    ApproximationTreeRequest,
    ApproximationTreeSignificanceLevelOf,
    BootstrapGenerator,
    CandidateSplits,
    Criterion,
    DatasetGenerator,
    DepthOrValidate,
    ExportApproximationTreeFormat,
    KernelGenerator,
    NextQuestion,
    NextQuestionRequest,
    Over,
    RanksGenerator,
    ResidualPermutationGenerator,
    RunOn,
)
from .types import ApproximationTree as Details

APPROXIMATION_TREES: Noun[Details] = Noun(get_approximation_tree, list_approximation_trees, delete_approximation_tree)
Method = ApproximationTreeMethod
ExportForm = ExportApproximationTreeFormat
Kept = TypeVar("Kept")
_GENERATORS: dict[str, Any] = {
    "ranks": RanksGenerator,
    "kernel": KernelGenerator,
    "bootstrap": BootstrapGenerator,
    "residual_permutation": ResidualPermutationGenerator,
    "dataset": DatasetGenerator,
}


class ApproximationTreeView(ArtefactView[Details]):
    """An approximation tree as it was when it was last fetched; ``details`` has all fields that the service sends.

    As text it is its conditions and predictions, one a line, and how well it approximates the model beside a constant
    prediction.
    """

    noun = APPROXIMATION_TREES
    contents = Content(get_approximation_tree_content, TABLE_MEDIA_TYPES)

    @property
    def nodes(self) -> list[ApproximationNode]:
        """The nodes: each one's id is its index, the root comes first."""
        nodes: list[ApproximationNode] = self._part("nodes")
        return nodes

    @property
    def evaluation(self) -> ApproximationTreeEvaluation:
        """How well the tree approximates the model, and both predict the target."""
        evaluation: ApproximationTreeEvaluation = self._part("evaluation")
        return evaluation

    @checked
    def to_frame(self) -> Any:  # a DataFrame
        """Return the nodes as a DataFrame, one row each; needs pandas.

        Returns
        -------
        pandas.DataFrame
            ``id``, ``depth``, ``text``; ``left`` and ``right``, the ids of the nodes below; ``prediction``,
            ``n_samples``, ``n_pseudo_samples``, ``p_value``, ``at_cap`` and ``settled``.

        Raises
        ------
        MissingExtra
            Without pandas.
        """
        return nodes_frame(self.nodes)

    def __str__(self) -> str:
        is_ready = self._has_result()
        if not is_ready:
            return repr(self)
        tree = describe_tree(self.nodes, outcome_words(self.result.outcome_texts))
        return f"{tree}\n{describe_tree_figures(self.result)}"


def _content(self: ApproximationTreeView, form: TableForm = "json") -> Program[bytes]:
    """Return the whole result as the bytes of a JSON, CSV or Parquet file."""
    return (yield from content(self, form))


def _download(self: ApproximationTreeView, path: str | Path, form: TableForm = "json") -> Program[Path]:
    """Write the whole result to a file, CSV and Parquet with a row for each node, and return its path.

    Raises
    ------
    CannotWrite
        If the file cannot be written there.
    """
    return (yield from download(self, path, form))


def _export(self: ApproximationTreeView, form: ExportForm = "text", *, over: Over | None = None) -> Program[Any]:
    """Return the tree as text: plain, Graphviz, a drawing in SVG, JSON, SQL, a Python function; or as ONNX.

    SQL is a ``CASE`` expression ``over`` the features; where the dataset has a feature set, one ``SELECT`` over the
    raw tables, unless ``over="features"``. The function, ``predict(row)``, needs nothing but Python; what it, the SQL
    and the ONNX model, which comes as bytes, predict is what the service predicts.

    Parameters
    ----------
    form
        ``"text"``, ``"graphviz"``, ``"svg"``, ``"html"``, ``"json"``, ``"sql"``, ``"python"`` or ``"onnx"``.

    Returns
    -------
    str or bytes
        Bytes of ``"onnx"``, else text.
    """
    chosen = UNSET if over is None else over
    response = yield call_of(export_approximation_tree(self.id, format_=form, over=chosen))
    # Not as the answer is declared: types of text without a charset are read as Latin by some.
    return response.content if form == "onnx" else response.content.decode()


def _next_question(self: ApproximationTreeView, answers: Mapping[str, Any] | None = None) -> Program[NextQuestion]:
    """Return the question that answers leave open, or the prediction that they lead to.

    Parameters
    ----------
    answers
        Values by ``question.column``; ``None`` is a missing value, which is an answer, too. Values of features that
        the path does not test are ignored.
    """
    request = NextQuestionRequest(answers=sent([named_instance(answers or {}, "answers")])[0])
    return (yield from fetch(get_next_question(self.id, body=request)))


def _create(  # the parameters of the method, all with defaults
    self: Collection[Details, Kept],
    model: Identified,
    dataset: Identified,
    *,
    method: Method | None = None,
    max_depth: DepthOrValidate | None = None,
    max_leaves: int | None = None,
    min_samples_leaf: int | None = None,
    significance: float = 0.1,
    max_pseudo_samples: int = 100_000,
    generator: Mapping[str, Any] | Record | None = None,
    fitted_on: ApproximationTreeFittedOn | None = None,
    choose_by: ApproximationTreeChooseBy | None = None,
    candidates: Sequence[Mapping[str, Any] | Record] | None = None,
    compare: ApproximationTreeCompare = "all",
    significance_level_of: ApproximationTreeSignificanceLevelOf = "node",
    criterion: Criterion = "gain",
    leaf_probabilities: ApproximationTreeLeafProbabilities = "rows",
    smearing_probability: float = 0.25,
    n_repeats: int = 1,
    stop_when_pure: bool | None = None,
    evaluation_dataset: Identified | None = None,
    seed: int = 0,
    settings: Settings | None = None,
    run_on: RunOn = "auto",
) -> Program[Kept]:
    """Request one tree that approximates a model; call ``wait()`` on what is returned.

    The same request again is free: it gives the tree that is made, or being made.

    Parameters
    ----------
    model, dataset
        The model to approximate, and the rows near which: what registering returned, or ids.
    method
        ``sta`` tests each split on pseudo rows until it is significant (Zhou & Hooker); ``ism`` chooses among
        the trees' own conditions (Van Assche & Blockeel); ``born_again`` (Breiman & Shang) and ``cart`` are
        controls. ``auto``, the default, is ``ism`` for classes where the dataset has a feature set, else ``sta``.
    max_depth
        Maximum number of conditions on a path, 1 to 30, by default 5; ``"validate"`` (``sta``): what fresh pseudo rows
        confirm.
    max_leaves
        2 to 1,024; the nodes that improve most are split first. ``sta`` that chooses by fidelity grows up to three
        times as many, of which the most faithful ones stay. Default: the number that the depth allows, up to 1,024.
    min_samples_leaf
        Of ``sta`` and ``ism`` the dataset's rows in each leaf, at least, by default 5; of ``born_again`` and ``cart``
        the same share of the pseudo rows.
    significance
        ``sta`` draws pseudo rows until the chance that other splits are better is at most this.
    max_pseudo_samples
        1,000 to 10,000,000: of one node in ``sta``, of the whole tree in ``born_again``, ``cart`` and ``ism``.
    generator
        How pseudo rows of ``sta``, ``cart`` and ``ism`` are made: ``{"method": "ranks", "bandwidth": 0.1}`` (default),
        ``{"method": "kernel", "bandwidth": 0.1}`` (Zhou & Hooker), ``{"method": "residual_permutation"}``, all with a
        ``neighbor_probability``, ``{"method": "bootstrap"}``, or ``{"method": "dataset", "dataset": ...}`` for rows of
        another dataset; or what ``details.request.generator`` of another tree is.
    fitted_on
        ``cart`` and ``ism`` on the dataset's rows alone (``"dataset"``), or with pseudo rows (``"generator"``, the
        default but for ``ism`` where the dataset has a feature set).
    choose_by
        How ``sta`` chooses among splits that its test cannot separate: by the ``fidelity`` of the trees below them
        (the default), or by their ``gain``, as in the paper. And which leaves of ``sta`` and ``ism`` stay where
        ``max_leaves`` is set: the most faithful ones of a larger tree, or those of the splits that gain most.
    candidates
        Features that ``sta`` may split on, such as ``{"feature": "age", "thresholds": [18, 65]}``, with ``categories``
        or ``missing``, or none of them for all splits of the feature. Default: all features.
    compare, significance_level_of
        Of ``sta``: the p-values of all other splits, or of the second best; the level of each split, or of the tree.
    criterion
        Of ``ism``: information gain, or its ratio to the entropy of both sides' shares of the rows.
    leaf_probabilities
        Of ``ism``: P(Y|A) by the rows of a node, or by independent splits (random forests; slow).
    smearing_probability
        Of ``born_again``: that a value is replaced by that of another row.
    n_repeats
        Number of trees to grow, 1 to 200, to measure how stable they are (``result.stability``); 1 with
        ``fitted_on="dataset"``.
    stop_when_pure
        ``ism`` stops splitting where all rows have one class in the dataset's target; for classes.
    settings
        ``"paper"``: what is left out is as in the method's paper (docs/methods.md lists it); the method is ``sta``.
    """
    splits = None if candidates is None else [_record(CandidateSplits, each, "candidates") for each in candidates]
    request = ApproximationTreeRequest(
        model=id_of(model),
        dataset=id_of(dataset),
        method=unless_none(method),
        max_depth=unless_none(max_depth),
        max_leaves=max_leaves,
        min_samples_leaf=unless_none(min_samples_leaf),
        significance=significance,
        max_pseudo_samples=max_pseudo_samples,
        generator=UNSET if generator is None else _generator(generator),
        fitted_on=unless_none(fitted_on),
        choose_by=unless_none(choose_by),
        candidates=splits,
        compare=compare,
        significance_level_of=significance_level_of,
        criterion=criterion,
        leaf_probabilities=leaf_probabilities,
        smearing_probability=smearing_probability,
        n_repeats=n_repeats,
        stop_when_pure=unless_none(stop_when_pure),
        evaluation_dataset=id_or_none(evaluation_dataset),
        seed=seed,
        settings=unless_none(settings),
        run_on=run_on,
    )
    return self._wrapped((yield from create(create_approximation_tree(body=request))))


def _generator(given: Mapping[str, Any] | Record) -> Any:  # one of five generated classes
    """Return a generator of pseudo rows as the service takes it."""
    values = _values(given)
    method = values.get("method")
    if method not in _GENERATORS:
        msg = f"`generator` has the method {method!r}; give one of {', '.join(_GENERATORS)}"
        raise WrongArgument("validation_failed", msg)
    if "dataset" in values:
        values["dataset"] = id_of(values["dataset"])
    return _record(_GENERATORS[method], values, f"generator of method {method}")


def _record(kind: Any, given: Mapping[str, Any] | Record, name: str) -> Any:
    """Return a part of the request as its generated class, ``kind``."""
    values, fields = _values(given), kind.__defaults__
    if unknown := [field for field in values if field not in fields]:
        msg = f"`{name}` has no {unknown[0]!r}, but {', '.join(fields)}"
        raise WrongArgument("validation_failed", msg)
    if lacking := [field for field, default in fields.items() if default is REQUIRED and field not in values]:
        msg = f"`{name}` needs {lacking[0]!r}"
        raise WrongArgument("validation_failed", msg)
    return kind(**values)


def _values(given: Mapping[str, Any] | Record) -> dict[str, Any]:
    """Return the fields of a mapping, or of a part of an answer."""
    return dict(given) if isinstance(given, Mapping) else cast("Any", given).to_dict()


class ApproximationTree(ApproximationTreeView, BlockingArtefact):
    """An approximation tree, for the blocking client."""

    content = blocking(_content)
    download = blocking(_download)
    export = blocking(_export)
    next_question = blocking(_next_question)


class AsyncApproximationTree(ApproximationTreeView, AwaitableArtefact):
    """An approximation tree, for the async client."""

    content = awaitable(_content)
    download = awaitable(_download)
    export = awaitable(_export)
    next_question = awaitable(_next_question)


class ApproximationTrees(SyncDeletable[Details, ApproximationTree, ApproximationTree]):
    """All approximation trees, newest first."""

    noun = APPROXIMATION_TREES
    view = ApproximationTree
    create = blocking(_create)


class AsyncApproximationTrees(AsyncDeletable[Details, AsyncApproximationTree, AsyncApproximationTree]):
    """All approximation trees, newest first."""

    noun = APPROXIMATION_TREES
    view = AsyncApproximationTree
    create = awaitable(_create)
