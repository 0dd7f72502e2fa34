import pickle
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.naive_rules import admitted_bins, labels_in_nats
from tests.support.rule_training import TrainingSet, energy, labelled_rows, of_model, of_pipeline, spambase
from tree_explainers.compute.progress import ignore_progress
from tree_explainers.prediction_scores import Targets
from tree_explainers.questions.binned_rows import BinnedRows, Bins
from tree_explainers.questions.conditions import TrainingValues
from tree_explainers.rows import Rows
from tree_explainers.rule_sets.box_sweep import Change, SweepLimits, SweptRule, best_change
from tree_explainers.rule_sets.draft_search import Grower
from tree_explainers.rule_sets.drafts import Draft, DraftRule, candidate_of, count_conditions, description_length
from tree_explainers.rule_sets.fab import fit_restarts
from tree_explainers.rule_sets.list_search import RuleLimits, search_rule_list
from tree_explainers.rule_sets.row_parts import RowParts
from tree_explainers.rule_sets.rule_counts import coverage_of, tallies_of
from tree_explainers.rule_sets.rule_lists import CERTAINTY, RuleList, boxes_of, first_firing, print_rules
from tree_explainers.rule_sets.rule_search import (
    Method,
    RuleSettings,
    box_rules,
    find_rules,
    plain_rules,
)
from tree_explainers.rule_sets.search_goal import SearchGoal, SearchRows, search_goal

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
    return data, find_rules(data.labelled, settings, np.random.default_rng(0)).rules


def error_of(rules: RuleList, data: TrainingSet) -> float:
    predicted = rules.predictions[first_firing(rules.fires(data.binned))]
    if data.targets.is_regression:
        return float(((predicted - data.values) ** 2).mean())
    return float((predicted != data.classes).mean())


def labels_of(data: TrainingSet) -> NDArray[np.float64] | NDArray[np.int64]:
    return data.values if data.targets.is_regression else data.classes


def deciding(draft: Draft, data: TrainingSet, rows: SearchRows) -> NDArray[np.int64]:
    """Return the first rule that covers each row; the number of rules where none does."""
    bins = BinnedRows(rows.rows.statements, bins_of(rows))
    covers = [rule.box(rows).covers(bins) for rule in draft]
    return first_firing(np.array(covers, np.bool_).reshape(len(draft), data.binned.n_rows).T)


def bins_of(rows: SearchRows) -> Bins:
    return np.concatenate([part.binned.bins for part in rows.rows.map(lambda part: part)], axis=1)


def naive_length(draft: Draft, data: TrainingSet, goal: SearchGoal, rows: SearchRows) -> float:
    """Return the description length from first principles."""
    decided_by = deciding(draft, data, rows)
    length = labels_in_nats(decided_by, labels_of(data), is_regression=data.targets.is_regression)
    n_conditions = sum(rule.total_conditions for rule in draft)
    return length + goal.cost_of_condition * n_conditions + goal.cost_of_rule * len(draft)


def some_draft(rows: SearchRows) -> Draft:
    grower = Grower(rows, search_goal(rows, 0.5), LIMITS, 3, ignore_progress)
    return grower.grow(())


def naive_best(rule: DraftRule, others: Draft, index: int, data: TrainingSet, rows: SearchRows) -> float:
    """Try every interval that keeps one end, or neither, of every feature, each with a new count of everything."""
    goal, own_groups = search_goal(rows, 0.5), rows.groups
    best = float("inf")
    for feature in range(own_groups.n_features):
        admitted = rule.admits[own_groups.slice_of(feature)]
        n_groups = len(admitted) - int(own_groups.has_missing[feature])
        inside = np.flatnonzero(admitted[:n_groups])
        ends = {(0, end) for end in range(n_groups)} | {(end, n_groups - 1) for end in range(n_groups)}
        ends |= {(int(inside[0]), end) for end in range(int(inside[0]), n_groups)} if len(inside) else set()
        ends |= {(end, int(inside[-1])) for end in range(int(inside[-1]) + 1)} if len(inside) else set()
        for low, high in ends:
            for with_missing in range(1 + int(own_groups.has_missing[feature])):
                groups = (np.arange(len(admitted)) >= low) & (np.arange(len(admitted)) <= high)
                groups[n_groups:] = with_missing == 1
                changed = rule.with_condition(own_groups, feature, groups)
                draft = (*others[:index], changed, *others[index:])
                n_decided = (deciding(draft, data, rows) == index).sum()
                if n_decided >= LIMITS.min_rows and changed.total_conditions <= LIMITS.max_conditions:
                    best = min(best, naive_length(draft, data, goal, rows))
    return best


@pytest.mark.parametrize("name", ["energy", "random_forest_multiclass", "missing_kept"])
@pytest.mark.sampled("thirds")
def test_a_sweep_finds_what_trying_every_interval_finds(name: str) -> None:
    data = training_set(name)
    rows = rows_of_numbers(data)
    goal = search_goal(rows, 0.5)
    draft = some_draft(rows)

    for index, rule in enumerate(draft):
        others = (*draft[:index], *draft[index + 1 :])
        for start in (rule, DraftRule.of_all(rows.groups)):
            change = changed_best(start, others, index, rows)
            changed = start.with_condition(rows.groups, change.feature, change.admitted)
            after = (*others[:index], changed, *others[index:])
            expected = naive_best(start, others, index, data, rows)
            np.testing.assert_allclose(naive_length(after, data, goal, rows), expected, rtol=1e-9)
            np.testing.assert_allclose(description_length(after, goal, rows), expected, rtol=1e-9)


def changed_best(rule: DraftRule, others: Draft, index: int, rows: SearchRows) -> Change:
    (swept,) = rows.sweeps([candidate_of(rule, others, index, rows)])
    given = SweptRule(rule.admits, rule.n_conditions, index, swept)
    return best_change(rows.groups, search_goal(rows, 0.5), given, LIMITS, float("inf"))


def rows_of_numbers(data: TrainingSet) -> SearchRows:
    """Return the rows with those features alone that are numbers."""
    numbers = [at for at, feature in enumerate(data.statements.features) if feature.is_number]
    statements = replace(data.statements, features=tuple(data.statements.features[at] for at in numbers))
    return SearchRows(RowParts.here(BinnedRows(statements, data.binned.bins[numbers]), data.targets))


def test_a_set_of_categories_is_at_least_as_good_as_one_category_or_all_others() -> None:
    data = of_pipeline("ordinal_categories")
    at = next(index for index, feature in enumerate(data.statements.features) if feature.name == "occupation")
    statements = replace(data.statements, features=(data.statements.features[at],))
    rows = SearchRows(RowParts.here(BinnedRows(statements, data.binned.bins[at : at + 1]), data.targets))
    goal, groups = search_goal(rows, 0.5), rows.groups
    empty = DraftRule.of_all(groups)

    change = changed_best(empty, (), 0, rows)

    found_length = naive_length((empty.with_condition(groups, 0, change.admitted),), data, goal, rows)
    for category in range(len(groups.bins)):
        alone = np.arange(len(groups.bins)) == category
        for admitted in (alone, ~alone):
            rule = empty.with_condition(groups, 0, admitted)
            n_covered = (deciding((rule,), data, rows) == 0).sum()
            assert n_covered < LIMITS.min_rows or found_length <= naive_length((rule,), data, goal, rows) + 1e-9
    assert 1 < change.admitted.sum() < len(groups.bins) - 1


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("method", ["fab", "rule_list"])
@pytest.mark.sampled("values")
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
    restarts = fit_restarts("fab", data.labelled, 10, 4, np.random.default_rng(0))

    rules = search_rule_list([restarts.best.model], data.labelled)

    assert error_of(rules, data) <= restarts.training_errors.min()


@pytest.mark.parametrize("name", ["energy", "random_forest_multiclass"])
@pytest.mark.parametrize("settings", [
    RuleSettings("rule_list", n_restarts=2), RuleSettings("fab", n_restarts=2),
    RuleSettings("em", "shortened", n_restarts=1, limits=RuleLimits(max_rules=4)),
], ids=["rule_list", "boxes", "shortened"])  # fmt: skip
@pytest.mark.sampled("values")
def test_rows_in_partitions_give_the_same_rules_however_they_are_cut(name: str, settings: RuleSettings) -> None:
    data = training_set(name)
    block_rows = -(-data.binned.n_rows // 5)

    def rules_of(n_blocks: int) -> RuleList:
        rows = labelled_rows(data.binned, data.targets, block_rows, n_blocks)
        return find_rules(rows, settings, np.random.default_rng(0)).rules

    whole, *others = (rules_of(n_blocks) for n_blocks in (5, 1, 2))

    assert whole.n_rules > 0
    for cut in others:
        assert pickle.dumps(cut.boxes) == pickle.dumps(whole.boxes)
        assert cut.predictions.tobytes() == whole.predictions.tobytes()
        assert cut.n_decided.tolist() == whole.n_decided.tolist()


@pytest.mark.parametrize("name", ["energy", "random_forest_multiclass"])
def test_counts_in_partitions_are_those_of_every_row(name: str) -> None:
    data = training_set(name)
    rows = SearchRows(labelled_rows(data.binned, data.targets, 70))
    draft = some_draft(rows)
    boxes = [rule.box(rows) for rule in draft]
    slots, tallied = deciding(draft, data, rows), np.zeros((len(draft) + 1, 2 if data.targets.is_regression else 3))
    for row, slot in enumerate(slots):
        if data.targets.is_regression:
            tallied[slot] += (1, data.values[row])
        else:
            tallied[slot, data.classes[row]] += 1

    own, backwards, none, twice = tallies_of(rows.rows, [boxes, boxes[::-1], [], [boxes[0], *boxes]])
    n_covered, alone = coverage_of(rows.rows, boxes)

    np.testing.assert_allclose(own, tallied, rtol=1e-12)
    np.testing.assert_array_equal(backwards, tallies_of(rows.rows, [boxes[::-1]])[0])
    np.testing.assert_allclose(none, tallied.sum(axis=0, keepdims=True), rtol=1e-9)
    np.testing.assert_array_equal(twice, np.insert(own, 1, 0, axis=0))
    starts = data.statements.bin_starts
    for at, box in enumerate(boxes):
        broken = np.array([~bins[data.binned.bins[one]] for one, bins in zip(box.features, box.admitted, strict=True)])
        assert n_covered[at] == (~broken.any(axis=0)).sum()
        for feature, breaks in zip(box.features, broken, strict=True):
            only = breaks & (broken.sum(axis=0) == 1)
            expected = np.bincount(data.binned.bins[feature][only], minlength=starts[feature + 1] - starts[feature])
            assert alone[at, starts[feature] : starts[feature + 1]].tolist() == expected.tolist()


@pytest.mark.parametrize("name", ["energy", "spambase"])
def test_the_improved_search_errs_less_than_the_plain_one(name: str) -> None:
    data, improved = found(name)
    _, plain = found(name, "fab")

    assert error_of(improved, data) < error_of(plain, data)


def test_plain_rules_are_boxes_of_regions_that_lost_conditions() -> None:
    data = spambase(300, 5)
    model = fit_restarts("fab", data.labelled, 10, 4, np.random.default_rng(0)).best.model
    regions = [box.covers(data.binned) for box in boxes_of(model, data.statements)]

    rules = plain_rules(model, data.labelled)

    assert rules.n_rules > 0
    for box in rules.boxes:
        covered = box.covers(data.binned)
        assert any((covered | ~region).all() for region in regions)


def test_regions_find_an_exclusive_or_that_no_single_condition_finds() -> None:
    data = of_pipeline("scaled_and_one_hot")
    columns = dict(zip(data.rows.names, data.rows.columns, strict=True))
    is_odd = (columns["sex"] == "female") != (columns["pclass"] > 2)
    targets = Targets.of_classes(is_odd.astype(np.int64), 2)
    rows = RowParts.here(data.binned, targets)
    model = fit_restarts("fab", rows, 6, 6, np.random.default_rng(0)).best.model

    rules = search_rule_list([model], rows)

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
    model = fit_restarts("fab", data.labelled, 6, 3, np.random.default_rng(0)).best.model
    starts = data.statements.statement_starts

    rules, regions = box_rules(model, data.labelled)

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

    found_rules = find_rules(data.labelled, RuleSettings(n_restarts=20), np.random.default_rng(0))

    assert len(found_rules.restarts.all) == 2
    assert (found_rules.fitted, found_rules.regions) == (None, ())


def test_what_the_progress_callback_raises_stops_the_search() -> None:
    data = spambase(300, 5)

    def stop(fraction: float, stage: str) -> None:  # the signature of progress callbacks
        if stage == "searching rules":
            raise Stop

    with pytest.raises(Stop):
        find_rules(data.labelled, RuleSettings(n_restarts=2), np.random.default_rng(0), stop)


def test_an_interval_counts_as_two_conditions_and_a_set_of_categories_as_one() -> None:
    data = of_pipeline("missing_kept")
    rows = SearchRows(data.labelled).groups
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
    rules = find_rules(RowParts.here(binned, targets), settings, np.random.default_rng(0)).rules
    restricted = {data.statements.features[feature].name for box in rules.boxes for feature in box.features}

    for name, values in numbers.items():
        missing, imputed = (_with(rows, name, value) for value in (np.nan, float(np.nanmean(values))))
        of_missing, of_imputed = (rules.fires(BinnedRows.of(data.statements, each)) for each in (missing, imputed))
        np.testing.assert_array_equal(of_missing, of_imputed)
    assert restricted & numbers.keys()


def _with(rows: Rows, name: str, value: float) -> Rows:
    named = zip(rows.names, rows.columns, strict=True)
    return Rows(rows.names, tuple(np.full(len(rows), value) if own == name else column for own, column in named))
