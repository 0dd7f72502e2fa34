"""Rule sets: a whole ensemble as a few rules: the first that holds decides, or their weighted mean."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeVar

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
from .calls import Call, Program, awaitable, blocking, call_of, create
from .contract.rule_sets import (
    create_rule_set,
    delete_rule_set,
    export_rule_set,
    get_rule_set,
    get_rule_set_content,
    get_rule_set_parameters,
    list_rule_set_rows,
    list_rule_sets,
)
from .errors import WrongArgument
from .frames import rules_frame
from .nouns import AsyncDeletable, Collection, Identified, Noun, Settings, SyncDeletable, id_of, id_or_none, unless_none
from .operations import Request
from .records import Record
from .texts import describe_rule_figures, describe_rules, outcome_words
from .types import (
    UNSET,
    DecisionTreeOptions,
    ExportRuleSetFormat,
    InTreesOptions,
    Labels,
    NodeHarvestOptions,
    Over,
    Region,
    RoundsOrInTurn,
    Rule,
    RuleSetBoxes,
    RuleSetEvaluation,
    RuleSetMethod,
    RuleSetRegions,
    RuleSetRequest,
    RuleSetStart,
    RunOn,
)
from .types import RuleSet as Details

RULE_SETS: Noun[Details] = Noun(get_rule_set, list_rule_sets, delete_rule_set)
Method = RuleSetMethod
Start = RuleSetStart
RegionForm = Literal["csv", "parquet"]
_OPTIONS: dict[str, type[Record]] = {
    "in_trees": InTreesOptions,
    "node_harvest": NodeHarvestOptions,
    "decision_tree": DecisionTreeOptions,
}
ExportForm = ExportRuleSetFormat
Kept = TypeVar("Kept")


class RuleSetView(ArtefactView[Details]):
    """A rule set as it was when it was last fetched; ``details`` has all fields that the service sends.

    As text it is the rules, one a line, and how well they predict beside the model and a constant prediction.
    """

    noun = RULE_SETS
    contents = Content(get_rule_set_content, TABLE_MEDIA_TYPES)

    @property
    def rules(self) -> list[Rule]:
        """The rules in the order in which they are tested: the first that holds decides, unless they have weights."""
        rules: list[Rule] = self._part("rules")
        return rules

    @property
    def default_prediction(self) -> float | str:
        """What a row gets that no rule covers."""
        default_prediction: float | str = self._part("default_prediction")
        return default_prediction

    @property
    def regions(self) -> list[Region]:
        """The regions of ``fab`` or ``em`` with their parameters; a rule list has none."""
        regions: list[Region] = self._part("regions")
        return regions

    @property
    def evaluation(self) -> RuleSetEvaluation:
        """How well the rules predict, as printed, beside the model."""
        evaluation: RuleSetEvaluation = self._part("evaluation")
        return evaluation

    @checked
    def to_frame(self) -> Any:  # a DataFrame
        """Return the rules as a DataFrame, one row each; needs pandas.

        Returns
        -------
        pandas.DataFrame
            ``rank`` (from 1), ``text``, ``prediction``; ``coverage`` and ``precision`` (0 to 1), ``n_rows``,
            ``support``, ``decided_precision`` (0 to 1).

        Raises
        ------
        MissingExtra
            Without pandas.
        """
        return rules_frame(self.rules)

    def __str__(self) -> str:
        is_ready = self._has_result()
        if not is_ready:
            return repr(self)
        rules = describe_rules(self.rules, self.default_prediction, outcome_words(self.result.outcome_texts))
        return f"{rules}\n{describe_rule_figures(self.result)}"


def _content(self: RuleSetView, form: TableForm = "json") -> Program[bytes]:
    """Return the whole result as the bytes of a JSON, CSV or Parquet file."""
    return (yield from content(self, form))


def _download(self: RuleSetView, path: str | Path, form: TableForm = "json") -> Program[Path]:
    """Write the whole result to a file, CSV and Parquet with a row for each rule, and return its path.

    Raises
    ------
    CannotWrite
        If the file cannot be written there.
    """
    return (yield from download(self, path, form))


def _export(self: RuleSetView, form: ExportForm = "markdown", *, over: Over | None = None) -> Program[str]:
    """Return the rules as a table in Markdown, as JSON, as SQL, as a Python function, or in HTML.

    SQL is a ``CASE`` expression ``over`` the features; where the dataset has a feature set, one ``SELECT`` over the
    raw tables, unless ``over="features"``. The function, ``predict(row)``, needs nothing but Python; it and the SQL
    predict what the service predicts.

    Parameters
    ----------
    form
        ``"markdown"``, ``"json"``, ``"sql"``, ``"python"`` or ``"html"``.
    """
    response = yield call_of(export_rule_set(self.id, format_=form, over=UNSET if over is None else over))
    # Not as the answer is declared: types of text without a charset are read as Latin by some.
    text: str = response.content.decode()
    return text


def _region_call(request: Request[None], form: RegionForm) -> Call:
    call = call_of(request)
    return replace(call, headers={**call.headers, "Accept": TABLE_MEDIA_TYPES[form]})


def _parameters(self: RuleSetView, form: RegionForm = "parquet") -> Program[bytes]:
    """Return a file with a line for each statement about a feature, and the share of each region for which it holds.

    Parameters
    ----------
    form : columns

    Raises
    ------
    Conflict
        If the method of the rule set has no regions.
    """
    response = yield _region_call(get_rule_set_parameters(self.id), form)
    content: bytes = response.content
    return content


def _map_predictions(self: RuleSetView, form: RegionForm = "parquet") -> Program[bytes]:
    """Return a file with a line for each row of the dataset: its most probable region, and what that predicts.

    Parameters
    ----------
    form : columns

    Raises
    ------
    Conflict
        If the method of the rule set has no regions.
    """
    response = yield _region_call(list_rule_set_rows(self.id), form)
    content: bytes = response.content
    return content


def _create(  # the parameters of the method, all with defaults
    self: Collection[Details, Kept],
    model: Identified,
    dataset: Identified,
    *,
    method: Method | None = None,
    boxes: RuleSetBoxes = "whole",
    max_rules: int = 10,
    n_restarts: int | None = None,
    start: Start | None = None,
    omega: float | None = None,
    e_step_rounds: RoundsOrInTurn | None = None,
    regions: RuleSetRegions = "fab",
    labels: Labels | None = None,
    evaluation_dataset: Identified | None = None,
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    settings: Settings | None = None,
    run_on: RunOn = "auto",
) -> Program[Kept]:
    """Request a few rules that describe a model; call ``wait()`` on what is returned.

    The same request again is free: it gives the rule set that is made, or being made.

    Parameters
    ----------
    model, dataset
        The model to describe, and the rows to describe it on: what registering returned, or ids.
    method
        ``rule_list``, the default, searches for few and short rules that predict well; ``fab`` fits regions and their
        number, and prints their boxes (Hara & Hayashi); ``em`` fits every number of regions; ``in_trees`` prunes,
        selects and orders the paths of the model's trees; ``node_harvest`` gives weights to nodes of the trees;
        ``decision_tree`` grows a small tree on the rows alone.
    boxes
        Of ``fab`` and ``em``: ``whole``, as in the paper, or ``shortened`` until they can be read.
    max_rules
        Maximum number of rules, including the default rule, or of regions with whole boxes, 1 to 20.
    n_restarts
        Random starts, 1 to 1,000, of which ``rule_list`` makes a tenth; default: 120 with ``fab``, otherwise 20.
    start
        What fits of regions begin with; ``algorithm_1`` is the paper's, ``in_turn``, the default, takes all three in
        turn.
    omega
        Cost of a region in ``fab``; default: half the number of its parameters, as in the paper.
    e_step_rounds
        Maximum number of rounds of an E-step in ``fab``, 1 to 100: the fewer, the more regions are left. 100 lets
        E-steps settle, as in the paper; ``in_turn``, the default, takes 1 and 2 in turn.
    regions
        How the regions are fitted from which the search of ``rule_list`` begins.
    labels
        Rules predict what the model predicts (the default), or what the dataset's target has.
    options
        Settings of ``in_trees``, ``node_harvest`` or ``decision_tree``, such as ``{"max_depth": 3}``; others have none.
    settings
        ``"paper"``: what is left out is as in the method's paper (docs/methods.md lists it); the method is ``fab``.
    """
    request = RuleSetRequest(
        model=id_of(model),
        dataset=id_of(dataset),
        method=unless_none(method),
        boxes=boxes,
        max_rules=max_rules,
        n_restarts=unless_none(n_restarts),
        start=unless_none(start),
        omega=omega,
        e_step_rounds=unless_none(e_step_rounds),
        regions=regions,
        labels=unless_none(labels),
        evaluation_dataset=id_or_none(evaluation_dataset),
        seed=seed,
        settings=unless_none(settings),
        run_on=run_on,
        **_options(method, options or {}),
    )
    return self._wrapped((yield from create(create_rule_set(body=request))))


def _options(method: Method | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a method as its field of a request; without any, no field.

    Raises
    ------
    WrongArgument
        If the method has no settings, or none of a given name.
    """
    if not given:
        return {}
    if method is None or method not in _OPTIONS:
        msg = f"method {method or 'rule_list'!r} has no options; only {', '.join(_OPTIONS)} have"
        raise WrongArgument("validation_failed", msg)
    known = list(_OPTIONS[method].__defaults__)
    if unknown := [name for name in given if name not in known]:
        msg = f"method {method!r} has no option {unknown[0]!r}; it has {', '.join(known)}"
        raise WrongArgument("validation_failed", msg)
    return {method: _OPTIONS[method].from_dict(given)}


class RuleSet(RuleSetView, BlockingArtefact):
    """A rule set, for the blocking client."""

    content = blocking(_content)
    download = blocking(_download)
    export = blocking(_export)
    parameters = blocking(_parameters)
    map_predictions = blocking(_map_predictions)


class AsyncRuleSet(RuleSetView, AwaitableArtefact):
    """A rule set, for the async client."""

    content = awaitable(_content)
    download = awaitable(_download)
    export = awaitable(_export)
    parameters = awaitable(_parameters)
    map_predictions = awaitable(_map_predictions)


class RuleSets(SyncDeletable[Details, RuleSet, RuleSet]):
    """All rule sets, newest first."""

    noun = RULE_SETS
    view = RuleSet
    create = blocking(_create)


class AsyncRuleSets(AsyncDeletable[Details, AsyncRuleSet, AsyncRuleSet]):
    """All rule sets, newest first."""

    noun = RULE_SETS
    view = AsyncRuleSet
    create = awaitable(_create)
