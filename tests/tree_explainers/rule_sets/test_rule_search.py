from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.naive_rules import admitted_bins, labels_in_nats
from tests.support.rule_training import TrainingSet, energy, of_model, of_pipeline, spambase
from tree_explainers.compute.progress import ignore_progress
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.conditions import TrainingValues
from tree_explainers.rows import Rows
from tree_explainers.rule_sets.box_sweep import SweepLimits, best_change
from tree_explainers.rule_sets.draft_search import Grower
from tree_explainers.rule_sets.drafts import (
    Draft,
    DraftRule,
    count_conditions,
    deciding,
    description_length,
    swept_rule,
)
from tree_explainers.rule_sets.fab import fit_restarts
from tree_explainers.rule_sets.list_search import RuleLimits, search_rule_list
from tree_explainers.rule_sets.pseudo_rows import LabelledRows
from tree_explainers.rule_sets.rule_lists import CERTAINTY, RuleList, boxes_of, first_firing, print_rules
from tree_explainers.rule_sets.rule_search import (
    Method,
    RuleSettings,
    box_rules,
    find_rules,
    plain_rules,
)
from tree_explainers.rule_sets.search_goal import SearchGoal, SearchRows, search_goal, search_rows
from tree_explainers.scoring import Targets

LIMITS = SweepLimits(max_conditions=8, min_rows=5)
SETS = ("energy", "spambase", "random_forest_multiclass", "missing_kept")


class Stop(Exception):
    """Raised by a progress callback to cancel."""


def training_set(name: str) -> TrainingSet:
    if name == "missing_kept":
        return of_pipeline(name)
    return {"energy": lambda: energy(5), "spambase": lambda: spambase(300, 5)}.get(name, lambda: of_model(name))()


def found(name: str, method: Method = "rule_list", limits: RuleLimits = RuleLimits()) -> tuple[TrainingSet, RuleList]:  # noqa: B008
    data = training_set(name)
    settings = RuleSettings(method=method, boxes="shortened", n_restarts=4, limits=limits)
    return data, find_rules(data.binned, data.targets, settings, np.random.default_rng(0)).rules


def error_of(rules: RuleList, data: TrainingSet) -> float:
    predicted = rules.predictions[first_firing(rules.fires(data.binned))]
    if data.targets.is_regression:
        return float(((predicted - data.values) ** 2).mean())
    return float((predicted != data.classes).mean())


def labels_of(data: TrainingSet) -> NDArray[np.float64] | NDArray[np.int64]:
    return data.values if data.targets.is_regression else data.classes


def naive_length(draft: Draft, data: TrainingSet, goal: SearchGoal) -> float:
    """Return the description length from first principles."""
    decided_by = deciding(draft, data.binned.n_rows)
    length = labels_in_nats(decided_by, labels_of(data), is_regression=data.targets.is_regression)
    n_conditions = sum(rule.total_conditions for rule in draft)
    return length + goal.cost_of_condition * n_conditions + goal.cost_of_rule * len(draft)


def some_draft(data: TrainingSet, rows: SearchRows) -> Draft:
    grower = Grower(rows, search_goal(rows, data.targets, 0.5), LIMITS, 3, ignore_progress)
    return grower.grow(())


def naive_best(rule: DraftRule, others: Draft, index: int, data: TrainingSet, rows: SearchRows) -> float:
    """Try every interval that keeps one end, or neither, of every feature, each with a new count of everything."""
    goal = search_goal(rows, data.targets, 0.5)
    best = float("inf")
    for feature in range(rows.n_features):
        admitted = rule.admits[rows.slice_of(feature)]
        n_groups = len(admitted) - int(rows.has_missing[feature])
        inside = np.flatnonzero(admitted[:n_groups])
        ends = {(0, end) for end in range(n_groups)} | {(end, n_groups - 1) for end in range(n_groups)}
        ends |= {(int(inside[0]), end) for end in range(int(inside[0]), n_groups)} if len(inside) else set()
        ends |= {(end, int(inside[-1])) for end in range(int(inside[-1]) + 1)} if len(inside) else set()
        for low, high in ends:
            for with_missing in range(1 + int(rows.has_missing[feature])):
                groups = (np.arange(len(admitted)) >= low) & (np.arange(len(admitted)) <= high)
                groups[n_groups:] = with_missing == 1
                changed = rule.with_condition(rows, feature, groups)
                draft = (*others[:index], changed, *others[index:])
                n_decided = (deciding(draft, rows.n_rows) == index).sum()
                if n_decided >= LIMITS.min_rows and changed.total_conditions <= LIMITS.max_conditions:
                    best = min(best, naive_length(draft, data, goal))
    return best


@pytest.mark.parametrize("name", ["energy", "random_forest_multiclass", "missing_kept"])
def test_a_sweep_finds_what_trying_every_interval_finds(name: str) -> None:
    data = training_set(name)
    rows = rows_of_numbers(data)
    goal = search_goal(rows, data.targets, 0.5)
    draft = some_draft(data, rows)

    for index, rule in enumerate(draft):
        others = (*draft[:index], *draft[index + 1 :])
        for start in (rule, DraftRule.of_all(rows)):
            change = best_change(rows, goal, swept_rule(start, others, index, rows.n_rows), LIMITS, float("inf"))
            changed = start.with_condition(rows, change.feature, change.admitted)
            after = (*others[:index], changed, *others[index:])
            expected = naive_best(start, others, index, data, rows)
            np.testing.assert_allclose(naive_length(after, data, goal), expected, rtol=1e-9)
            np.testing.assert_allclose(description_length(after, goal), expected, rtol=1e-9)


def rows_of_numbers(data: TrainingSet) -> SearchRows:
    """Return the rows with those features alone that are numbers."""
    numbers = [at for at, feature in enumerate(data.statements.features) if feature.is_number]
    statements = replace(data.statements, features=tuple(data.statements.features[at] for at in numbers))
    return search_rows(BinnedRows(statements, data.binned.bins[numbers]))


def test_a_set_of_categories_is_at_least_as_good_as_one_category_or_all_others() -> None:
    data = of_pipeline("ordinal_categories")
    at = next(index for index, feature in enumerate(data.statements.features) if feature.name == "occupation")
    statements = replace(data.statements, features=(data.statements.features[at],))
    rows = search_rows(BinnedRows(statements, data.binned.bins[at : at + 1]))
    goal = search_goal(rows, data.targets, 0.5)
    empty = DraftRule.of_all(rows)

    change = best_change(rows, goal, swept_rule(empty, (), 0, rows.n_rows), LIMITS, float("inf"))

    found_length = naive_length((empty.with_condition(rows, 0, change.admitted),), data, goal)
    for category in range(len(rows.bins)):
        alone = np.arange(len(rows.bins)) == category
        for admitted in (alone, ~alone):
            rule = empty.with_condition(rows, 0, admitted)
            assert rule.fires.sum() < LIMITS.min_rows or found_length <= naive_length((rule,), data, goal) + 1e-9
    assert 1 < change.admitted.sum() < len(rows.bins) - 1


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("method", ["fab", "rule_list"])
def test_printed_rules_predict_as_their_boxes_and_keep_to_the_limits(name: str, method: Method) -> None:
    limits = RuleLimits(max_rules=6, max_conditions=3, max_median=2)
    data, rules = found(name, method, limits)

    printed = print_rules(rules, TrainingValues(data.rows, data.binned))

    np.testing.assert_array_equal(printed.fires(data.rows), rules.fires(data.binned))
    lengths = [len(conditions) for conditions in printed.rules]
    assert len(lengths) <= 5
    assert all(0 < length <= 3 for length in lengths)
    assert np.median([*lengths, 0][: len(lengths) or 1]) <= 2


@pytest.mark.parametrize("name", SETS)
def test_the_improved_search_errs_less_than_the_regions_it_began_with(name: str) -> None:
    data = training_set(name)
    restarts = fit_restarts("fab", data.binned, data.targets, 10, 4, np.random.default_rng(0))

    rules = search_rule_list([restarts.best.model], LabelledRows(data.binned, data.targets))

    assert error_of(rules, data) <= restarts.training_errors.min()


@pytest.mark.parametrize("name", ["energy", "spambase"])
def test_the_improved_search_errs_less_than_the_plain_one(name: str) -> None:
    data, improved = found(name)
    _, plain = found(name, "fab")

    assert error_of(improved, data) < error_of(plain, data)


def test_plain_rules_are_boxes_of_regions_that_lost_conditions() -> None:
    data = spambase(300, 5)
    model = fit_restarts("fab", data.binned, data.targets, 10, 4, np.random.default_rng(0)).best.model
    regions = [box.covers(data.binned) for box in boxes_of(model, data.statements)]

    rules = plain_rules(model, data.binned, data.targets)

    assert rules.n_rules > 0
    for box in rules.boxes:
        covered = box.covers(data.binned)
        assert any((covered | ~region).all() for region in regions)


def test_regions_find_an_exclusive_or_that_no_single_condition_finds() -> None:
    data = of_pipeline("scaled_and_one_hot")
    columns = dict(zip(data.rows.names, data.rows.columns, strict=True))
    is_odd = (columns["sex"] == "female") != (columns["pclass"] > 2)
    targets = Targets.of_classes(is_odd.astype(np.int64), 2)
    model = fit_restarts("fab", data.binned, targets, 6, 6, np.random.default_rng(0)).best.model

    rules = search_rule_list([model], LabelledRows(data.binned, targets))

    predicted = rules.predictions[first_firing(rules.fires(data.binned))]
    assert (predicted != is_odd).mean() < 0.01
    assert rules.n_rules <= 3


def test_the_same_seed_gives_the_same_rules() -> None:
    _, one = found("spambase")
    _, other = found("spambase")

    assert [box.features for box in one.boxes] == [box.features for box in other.boxes]
    for first, second in zip(one.boxes, other.boxes, strict=True):
        for left, right in zip(first.admitted, second.admitted, strict=True):
            np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("name", ["energy", "random_forest_multiclass", "missing_kept"])
def test_whole_boxes_are_those_of_the_regions_and_predict_what_these_predict(name: str) -> None:
    data = training_set(name)
    model = fit_restarts("fab", data.binned, data.targets, 6, 3, np.random.default_rng(0)).best.model
    starts = data.statements.statement_starts

    rules, regions = box_rules(model, data.binned, data.targets)

    assert sorted(regions, key=lambda region: -model.shares[region]) == list(regions)
    for rule, region in enumerate(regions):
        covered = np.ones(data.binned.n_rows, dtype=np.bool_)
        for at, feature in enumerate(data.statements.features):
            eta = model.eta[region, starts[at] : starts[at + 1]].tolist()
            covered &= np.array(admitted_bins(feature, eta, CERTAINTY))[data.binned.bins[at]]
        np.testing.assert_array_equal(rules.boxes[rule].covers(data.binned), covered)
        assert rules.predictions[rule] == model.predictions()[region]
        if rules.scores is not None and model.scores is not None:
            np.testing.assert_array_equal(rules.scores[rule], model.scores[region])


def test_a_rule_list_begins_with_a_tenth_of_the_restarts_and_keeps_no_regions() -> None:
    data = energy(5)

    found_rules = find_rules(data.binned, data.targets, RuleSettings(n_restarts=20), np.random.default_rng(0))

    assert len(found_rules.restarts.all) == 2
    assert (found_rules.fitted, found_rules.regions) == (None, ())


def test_what_the_progress_callback_raises_stops_the_search() -> None:
    data = spambase(300, 5)

    def stop(fraction: float, stage: str) -> None:  # noqa: ARG001  # the signature of progress callbacks
        if stage == "searching rules":
            raise Stop

    with pytest.raises(Stop):
        find_rules(data.binned, data.targets, RuleSettings(n_restarts=2), np.random.default_rng(0), stop)


def test_an_interval_counts_as_two_conditions_and_a_set_of_categories_as_one() -> None:
    data = of_pipeline("missing_kept")
    rows = search_rows(data.binned)
    number = int(np.flatnonzero(rows.is_number & rows.has_missing)[0])
    category = int(np.flatnonzero(~rows.is_number)[-1])
    groups = np.arange(rows.group_starts[number + 1] - rows.group_starts[number])
    n_categories = rows.group_starts[category + 1] - rows.group_starts[category]

    assert count_conditions(rows, number, (groups > 1) & (groups < 5)) == 2
    assert count_conditions(rows, number, groups > 1) == 1
    assert count_conditions(rows, number, groups < groups[-1]) == 1  # is not missing
    assert count_conditions(rows, number, groups == groups[-1]) == 1  # is missing
    assert count_conditions(rows, number, groups >= 0) == 0
    assert count_conditions(rows, category, np.arange(n_categories) != 1) == 1


@pytest.mark.parametrize("method", ["fab", "rule_list"])
def test_a_missing_value_that_no_training_row_has_is_treated_as_the_value_the_model_imputes(method: Method) -> None:
    data = of_pipeline("scaled_and_one_hot")
    numbers = {name: data.rows.columns[data.rows.names.index(name)] for name in ("age", "fare")}
    whole = np.flatnonzero(~np.isnan(np.stack(list(numbers.values()))).any(axis=0))
    rows = data.rows.take(whole)
    binned, targets = BinnedRows.of(data.statements, rows), Targets.of_classes(data.classes[whole], 2)
    settings = RuleSettings(method=method, boxes="shortened", n_restarts=4)
    rules = find_rules(binned, targets, settings, np.random.default_rng(0)).rules
    restricted = {data.statements.features[feature].name for box in rules.boxes for feature in box.features}

    for name, values in numbers.items():
        missing, imputed = (_with(rows, name, value) for value in (np.nan, float(np.nanmean(values))))
        of_missing, of_imputed = (rules.fires(BinnedRows.of(data.statements, each)) for each in (missing, imputed))
        np.testing.assert_array_equal(of_missing, of_imputed)
    assert restricted & numbers.keys()


def _with(rows: Rows, name: str, value: float) -> Rows:
    named = zip(rows.names, rows.columns, strict=True)
    return Rows(rows.names, tuple(np.full(len(rows), value) if own == name else column for own, column in named))
