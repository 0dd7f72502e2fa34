"""Reports as jobs: one file without script, whose bytes depend on what it shows alone, and which can be verified."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from html import unescape
from html.parser import HTMLParser
from typing import Any

import numpy as np
import orjson
import pandas as pd
import pytest
from leafspace_drawings.words import share
from pydantic import ValidationError
from scipy.stats import binomtest
from sqlalchemy import update

from explanations.explained_rows import explain_instances
from explanations.warm_explainer import warm_up
from schemas.api_keys import ApiKeyRequest
from schemas.comparisons import COMPARISONS
from schemas.dictionaries import DictionaryRequest
from schemas.explanations import ExplanationRequest
from schemas.label_audits import LABEL_AUDITS
from schemas.label_decisions import LabelDecisionRequest
from schemas.reports import REPORTS, Drift, Report, ReportRequest, ReportResult, ShareComparison, ShareInterval
from service.callers import CURRENT_KEY
from service.operations import artefacts
from service.operations.dictionaries import put_dictionary
from service.operations.label_decisions import decide
from service.operations.preconditions import Precondition
from storage.errors import Conflict, StorageError
from storage.tables import artefact_files
from storage.tables import artefacts as artefact_rows
from tests.support.api import frame_of
from tests.support.models import fitted
from tests.support.report_shop import Shop, shop_in, text_of
from tests.support.workshop import result_of


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    with shop_in(tmp_path_factory.mktemp("reports")) as opened:
        yield opened


def test_a_report_is_one_file_that_runs_nothing_and_loads_nothing(shop: Shop) -> None:
    made = shop.everything()
    html, result = shop.file(made), result_of(made)
    assert result.sha256 == hashlib.sha256(html.encode()).hexdigest()
    assert result.n_bytes == len(html.encode()) < 1_000_000
    assert "default-src 'none'" in unescape(html)
    assert not re.search(r"<script|<button|<input| on\w+=| style=|(?:src|href)=\"(?!data:)", html)
    assert html.count("<h1") == 1
    _Balanced().feed(html)


class _Balanced(HTMLParser):
    """Fails where an element is closed that is not open."""

    def __init__(self) -> None:
        super().__init__()
        self._open: list[str] = []

    def handle_starttag(self, tag: str, _attributes: list[tuple[str, str | None]]) -> None:
        if tag not in {"meta", "col", "img", "br", "wbr"}:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag


def test_a_report_shows_what_it_was_asked_for(shop: Shop) -> None:
    made = shop.everything()
    text = text_of(shop.file(made))
    names = [part.name for part in result_of(made).parts]
    assert names == [
        *(
            "request",
            "summary",
            "model",
            "evaluation",
            "prototypes",
            "map",
            "rules",
            "tree",
            "rows",
            "audit",
            "compared",
            "comparison",
            "drift",
        ),
        *("methods", "limits", "manifest"),
    ]
    for words in (
        "Tumours, March",
        "Second line.",
        "row 17",
        "40 of 569 rows",
        "the new one",
        "the old one",
        "seen",
        "kept",
        "Tan",
    ):
        assert words in text
    for each in result_of(made).inputs:
        assert each.id in text
        assert (each.sha256 or "") in text


def test_a_report_begins_with_its_title_date_author_verdict_and_summary_and_ends_with_digests(shop: Shop) -> None:
    head = {"author": "A. Reviewer", "date": "2026-03-02", "verdict": "Approved for a year."}
    made = shop.make(**head, rows=["3"], compare_with=shop.other, newer_dataset=shop.newer)
    text, result = text_of(shop.file(made)), result_of(made)
    beginning = "Tumours, March Date 2026-03-02 Author A. Reviewer Verdict Approved for a year. Summary "
    assert text.startswith(beginning + " ".join(result.summary))
    before_manifest = text.partition("What this was drawn from")[0]
    assert not re.search(r"\b[0-9a-f]{12,}\b", before_manifest)


def test_the_summary_says_what_is_decided_how_well_and_on_which_rows(shop: Shop) -> None:
    forest, model = fitted("random_forest_binary"), fitted("random_forest_binary").library_labels()
    result = result_of(shop.make(compare_with=shop.other, newer_dataset=shop.newer))
    decided, measured, counted, changed, drifted, *cautions = result.summary
    assert decided == (
        "The model “the new one”, random forest of 20 trees on 30 features, predicts one of 2 classes (“t” in the "
        "data): “0” or “1”."
    )
    shares = [np.mean(model[forest.target.astype(str) == label] == label) for label in ("0", "1")]
    assert measured.startswith(
        f"On the 569 rows that it was made from, its balanced accuracy is {share(np.mean(shares))} "
        "(50% by always the same answer); "
    )
    named = re.fullmatch(
        r"Averaged over 569 reference rows, the sizes of effects on the score are largest for "
        r"(f\d+) \((0\.\d+)\), (f\d+) \((0\.\d+)\) and (f\d+) \((0\.\d+)\)\.",
        counted,
    )
    assert named is not None
    assert sorted(named.groups()[1::2], reverse=True) == list(named.groups()[1::2])
    assert result.comparison is not None
    n_changed = result.comparison.n_changed
    assert changed.startswith(f"Beside “the old one”, on 569 rows, {n_changed} predictions differ (")
    assert result.drift is not None
    n_differing = sum(pair.differs for pair, _, _ in _compared(result.drift))
    assert drifted.startswith(f"Of {result.drift.n_comparisons} shares of the newer rows ")
    assert f" {n_differing} differ from the reference rows by more than chance" in drifted
    assert all(each.startswith("Caution: ") or "“Limits”" in each for each in cautions)


def test_the_summary_calls_classes_as_the_dictionary_does_and_counts_hidden_features(shop: Shop) -> None:
    context, dataset = shop.workshop.context, shop.dataset
    words = {"outcomes": [{"name": "1", "label": "ill"}], "features": [{"name": "f0", "hidden": True}]}
    put_dictionary(context, dataset, DictionaryRequest.model_validate(words), Precondition())
    try:
        decided, measured, *_ = result_of(shop.make(title="in words")).summary
    finally:
        put_dictionary(context, dataset, DictionaryRequest(), Precondition())
    assert "on 30 features, predicts one of 2 classes" in decided
    assert decided.endswith(": “0” or “ill”.")
    assert "always “1”" not in measured


def test_how_well_it_predicts_is_said_by_an_evaluation_on_held_out_rows_where_there_is_one(shop: Shop) -> None:
    workshop, model = shop.workshop, shop.workshop.context.explainers.get(shop.other).model
    later = frame_of(fitted("decision_tree_binary")).iloc[300:]
    of_reference = workshop.evaluate(model=model, dataset=shop.dataset)
    before = shop.make(explainer=shop.other, title="before")
    assert before.request.evaluation is None
    assert result_of(before).summary[1].startswith("On the 569 rows that it was made from, its balanced accuracy is ")

    rows = workshop.register_dataset(later, target="t", held_out=True, name="later tumours")
    held_out = workshop.evaluate(model=model, dataset=rows)
    after = shop.make(explainer=shop.other, title="after")
    named = shop.make(explainer=shop.other, title="named", evaluation=of_reference.id)

    assert after.request.evaluation == held_out.id
    _, measured, agreed, *_ = result_of(after).summary
    declared = "which are declared as held out: no model that is used with them was trained on them"
    assert measured == f"{result_of(held_out).summary} Measured on “later tumours” (269 rows, {declared})."
    assert agreed.startswith("On the 569 rows that it was made from, the nearest of 5 prototypes predicts as it does ")
    assert "balanced accuracy is" not in " ".join(result_of(after).summary)
    accuracy = result_of(held_out).classification
    assert accuracy is not None
    right = f"How well, on which rows {share(accuracy.accuracy.share or 0)} right"
    assert right in text_of(shop.file(after))
    assert rows in {each.id for each in result_of(after).inputs}
    assert shop.verify(after).status == "same"
    assert named.request.evaluation == of_reference.id
    assert "(569 rows; whether the model was trained on them is not known)." in result_of(named).summary[1]
    assert "its balanced accuracy is" in result_of(named).summary[2]

    without = shop.make(explainer=shop.other, title="without", evaluation="none")
    assert without.request.evaluation is None
    assert "evaluation" not in {part.name for part in result_of(without).parts}
    assert result_of(without).summary[1] == result_of(before).summary[1]
    assert shop.verify(without).status == "same"


def test_the_author_is_the_key_s_name_and_the_day_is_that_of_the_request(shop: Shop) -> None:
    key = shop.workshop.context.api_keys.add(ApiKeyRequest(name="Model risk", scopes=["read", "write"]))
    before = datetime.now(UTC).date()
    token = CURRENT_KEY.set(key.id)
    try:
        made = shop.make(title="by a key")
    finally:
        CURRENT_KEY.reset(token)
    assert made.request.author == "Model risk"
    assert made.request.date in {before.isoformat(), datetime.now(UTC).date().isoformat()}
    assert "Author Model risk Verdict none is given" in text_of(shop.file(made))
    assert shop.verify(made).status == "same"
    assert shop.make(title="by a key").id != made.id
    assert "Author not named" in text_of(shop.file(shop.make(title="by a key")))


@pytest.mark.parametrize("day", ["2026-02-30", "20260301", "2026-W05-6", "today", ""])
def test_a_day_that_there_is_not_is_refused(day: str) -> None:
    with pytest.raises(ValidationError, match="a day is written as year, month and day"):
        ReportRequest(title="x", explainer="xpl_1", date=day)


def test_a_comparison_may_be_shown_by_a_report_on_either_model(shop: Shop) -> None:
    text = text_of(shop.file(shop.make(explainer=shop.other, comparison=shop.comparison)))
    compared = text.partition("Where does “the old one” differ from “the new one”?")[2]
    assert "Compared with “the old one”, on the 569 rows of" in compared
    assert "by “the new one” by “the old one”" in compared
    assert "this model" not in compared.partition("Methods")[0]


def test_a_comparison_on_other_rows_has_the_words_of_these_rows(shop: Shop) -> None:
    workshop, frame = shop.workshop, frame_of(fitted("random_forest_binary"))
    other = result_of(artefacts.get_one(workshop.context, COMPARISONS, shop.comparison))
    assert other.models is not None
    elsewhere = workshop.register_dataset(frame.assign(later=True), target="t", name="worded")
    words = {"outcomes": [{"name": "0", "label": "ill"}, {"name": "1", "label": "well"}]}
    put_dictionary(workshop.context, elsewhere, DictionaryRequest.model_validate(words), Precondition())
    request = artefacts.get_one(workshop.context, COMPARISONS, shop.comparison).request
    models = {"model": request.model, "other_model": request.other_model}
    compared = workshop.compare(dataset=elsewhere, **models)
    made = shop.make(title="worded", comparison=compared.id)
    shown = text_of(shop.file(made)).partition("differ from “the new one”?")[2].partition("Methods")[0]
    change = other.models.changes[0]
    said = {"0": "ill", "1": "well"}
    assert f"{said[change.outcome]} {said[change.other_outcome]} {change.n_rows}" in shown
    assert {("datasets", elsewhere), ("dictionaries", elsewhere)} <= {
        (each.noun, each.id) for each in result_of(made).inputs
    }


def test_the_same_inputs_give_the_same_bytes_and_a_verification_says_so(shop: Shop) -> None:
    made = shop.everything()
    found = shop.verify(made)
    assert (found.status, found.digest_matches, found.different_parts) == ("same", True, [])
    assert found.drawn_sha256 == found.sha256 == result_of(made).sha256


def test_a_file_that_was_changed_is_found_out(shop: Shop) -> None:
    made = shop.make(title="changed")
    context = shop.workshop.context
    result = result_of(made)
    (*before, last) = result.parts
    forged = result.model_copy(update={"sha256": "0" * 64, "parts": [*before, last.model_copy(update={"sha256": "1"})]})
    _keep_as(shop, made, forged)
    found = shop.verify(made)
    assert (found.status, found.digest_matches, found.different_parts) == ("different", False, ["manifest"])
    _keep_as(shop, made, result.model_copy(update={"service": "0.0.9", "parts": before}))
    assert shop.verify(made).status == "same"
    assert context.artefacts.get(REPORTS.name, made.id).status == "ready"


def test_what_another_release_drew_differently_is_no_forgery(shop: Shop) -> None:
    made = shop.make(title="of another release")
    context = shop.workshop.context
    other = shop.file(made).replace("of another release", "as it was written then").encode()
    with context.objects.keeping():
        file = context.objects.put(other)
    digest = hashlib.sha256(other).hexdigest()
    result = result_of(made).model_copy(update={"sha256": digest, "service": "0.0.9"})
    _keep_as(shop, made, result, file)
    found = shop.verify(made)
    assert (found.status, found.digest_matches, found.service) == ("other_revision", True, "0.0.9")


def _keep_as(shop: Shop, made: Report, result: ReportResult, file: str | None = None) -> None:
    """Keep another result of a report, and another file, as somebody could who has the database."""
    context = shop.workshop.context
    with context.objects.keeping():
        kept = context.objects.put(result.model_dump_json().encode())
    with context.database.transaction() as connection:
        connection.execute(update(artefact_rows).where(artefact_rows.c.id == made.id).values(result=kept))
        if file is not None:
            connection.execute(update(artefact_files).where(artefact_files.c.artefact == made.id).values(object=file))


def test_later_decisions_make_another_report_and_leave_the_first_as_it_is(shop: Shop) -> None:
    first = shop.make(label_audit=shop.audit)
    assert shop.make(label_audit=shop.audit).id == first.id
    rows = result_of(artefacts.get_one(shop.workshop.context, LABEL_AUDITS, shop.audit)).rows
    decision = LabelDecisionRequest(decision="unsure")
    decide(shop.workshop.context, shop.audit, rows[1].row, decision, Precondition())
    second = shop.make(label_audit=shop.audit)
    assert second.id != first.id
    assert shop.verify(first).status == "same"
    assert "1 unsure" not in shop.file(first)
    assert "1 unsure" in shop.file(second)


def test_models_are_compared_on_the_same_rows(shop: Shop) -> None:
    found = result_of(shop.everything()).comparison
    assert found is not None
    forest, tree = fitted("random_forest_binary"), fitted("decision_tree_binary")
    pairs = zip(forest.library_labels(), tree.library_labels(), strict=True)
    changed = Counter(pair for pair in pairs if pair[0] != pair[1])
    assert {(each.label, each.other_label): each.n_rows for each in found.changes} == changed
    assert (found.n_rows, found.n_changed) == (len(forest.target), changed.total())
    assert _naive_agreements(shop) == {
        "prototypes": found.prototypes_agreement,
        "rules": found.rules_agreement,
        "trees": found.trees_agreement,
    }


def _naive_agreements(shop: Shop) -> dict[str, float]:
    """Return how often both sides say the same, by what calls for single rows answer."""
    rows = frame_of(fitted("random_forest_binary")).drop(columns="t")
    said = [_said(shop, explainer, rows) for explainer in (shop.explainer, shop.other)]
    n = len(rows)
    return {name: sum(a == b for a, b in zip(said[0][name], said[1][name], strict=True)) / n for name in said[0]}


def _said(shop: Shop, explainer: str, rows: pd.DataFrame) -> dict[str, list[str | None]]:
    context = shop.workshop.context
    warm = warm_up(explainer, context.database, context.objects, context.sessions.get)
    rules = context.artefacts.get("rule_sets", context.explainers.get(explainer).rule_set or "")
    default = json.loads(context.objects.get(rules.ready_result()))["default_prediction"]
    found: dict[str, list[str | None]] = {"prototypes": [], "rules": [], "trees": []}
    for row in rows.itertuples(index=False):
        request = ExplanationRequest(instances=[list(row)], include=["rules", "approximation_path"])
        answer = json.loads(orjson.dumps(explain_instances(warm, request)[0]))
        near = answer["nearest_prototypes"]
        found["prototypes"].append(near[0]["label"] if near else None)
        found["rules"].append(answer["rules"][0]["prediction"] if answer["rules"] else default)
        found["trees"].append(answer["approximation_path"]["leaf"]["prediction"])
    return found


def test_drift_counts_rows_that_single_explanations_call_far(shop: Shop) -> None:
    found = result_of(shop.everything()).drift
    assert found is not None
    newer = _naive_counts(shop, shop.newer_rows)
    reference = _naive_counts(shop, frame_of(fitted("random_forest_binary")).drop(columns="t"))
    assert _counted(found) == _naive_drift(shop, newer, reference)
    assert found.total.n_far / found.total.n_rows > found.total.n_reference_far / found.total.n_reference_rows


def test_each_share_of_drift_has_its_interval_and_the_summary_claims_what_differs(shop: Shop) -> None:
    made = shop.everything()
    found = result_of(made).drift
    assert found is not None
    compared = list(_compared(found))
    with_rows = [pair for pair, newer, reference in compared if newer[1] and reference[1]]
    assert (
        found.n_comparisons
        == len(with_rows)
        == 1
        + 2 * 2
        + 2 * 5
        - sum(not each.n_rows or not each.n_reference_rows for each in [*found.by_label, *found.by_prototype])
    )
    for pair, newer, reference in compared:
        assert _is_wilson(pair.interval, *newer)
        assert _is_wilson(pair.reference_interval, *reference)
    differing = [pair for pair in with_rows if pair.differs]
    assert all(each.group in differing for each in found.by_label)  # larger tumours are malignant
    assert not found.total.far.differs  # though 9.5 % are far, of reference rows 4.4 %
    assert f"; {len(differing)} differ by more than chance would explain, at 95 % for all" in found.summary
    assert "far is measured by proximity to prototypes alone" in found.summary
    text = " ".join(unescape(re.sub(r"<[^>]+>", " ", shop.file(made))).split())
    assert found.summary in text
    assert text.count("more than by chance") == len(differing)


def test_the_same_rows_again_have_not_drifted(shop: Shop) -> None:
    found = result_of(shop.make(newer_dataset=shop.dataset)).drift
    assert found is not None
    assert not any(pair.differs for pair, _, _ in _compared(found))
    assert "none differs by more than chance would explain" in found.summary
    assert "does not show that nothing has changed" in found.summary


_Counted = tuple[int, int]  # rows that count, and all


def _compared(found: Drift) -> Iterator[tuple[ShareComparison, _Counted, _Counted]]:
    """Yield each comparison with the counts of both sides."""
    for each in (found.total, *found.by_label, *found.by_prototype):
        yield each.far, (each.n_far, each.n_rows), (each.n_reference_far, each.n_reference_rows)
        if each.group is not None:
            sizes = found.total.n_rows, found.total.n_reference_rows
            yield each.group, (each.n_rows, sizes[0]), (each.n_reference_rows, sizes[1])


def _is_wilson(interval: ShareInterval | None, n_counted: int, n_rows: int) -> bool:
    if interval is None or n_rows == 0:
        return interval is None and n_rows == 0
    expected = binomtest(n_counted, n_rows).proportion_ci(method="wilson")
    return (interval.low, interval.high) == pytest.approx((expected.low, expected.high))


def _counted(found: Drift) -> dict[tuple[str, str], tuple[int, ...]]:
    """Return the numbers of rows by group."""
    groups = [("total", found.total), *(("label", each) for each in found.by_label)]
    groups += [("prototype", each) for each in found.by_prototype]
    return {
        (kind, each.name): (each.n_rows, each.n_far, each.n_reference_rows, each.n_reference_far)
        for kind, each in groups
    }


_Counts = dict[tuple[str, str], list[bool]]


def _naive_counts(shop: Shop, rows: pd.DataFrame) -> _Counts:
    """Return, by group, whether each of its rows is far, as a call says it of one row after the other."""
    warm = shop.warm()
    found: _Counts = {}
    for row in rows.itertuples(index=False):
        (answer,) = explain_instances(warm, ExplanationRequest(instances=[list(row)], n_prototypes=1))
        is_far = answer["typicality"]["level"] in {"far", "none"}
        near = [("prototype", each["row_id"]) for each in answer["nearest_prototypes"]]
        for group in [("total", "all rows"), ("label", answer["prediction"]["label"]), *near]:
            found.setdefault(group, []).append(is_far)
    return found


def _naive_drift(shop: Shop, newer: _Counts, reference: _Counts) -> dict[tuple[str, str], tuple[int, ...]]:
    warm = shop.warm()
    names = [("total", "all rows"), *(("label", label) for label in warm.model.classes)]
    names += [("prototype", each.row_id) for each in warm.prototypes]
    sides = [(newer.get(name, []), reference.get(name, [])) for name in names]
    return {name: (len(new), sum(new), len(old), sum(old)) for name, (new, old) in zip(names, sides, strict=True)}


@pytest.mark.parametrize(
    ("request_", "code", "pointer"),
    [
        ({"rows": ["3", "3"]}, "validation_failed", "/rows"),
        ({"rule_set": "other"}, "schema_mismatch", "/rule_set"),
        ({"newer_dataset": "ds_nothing"}, "not_found", None),
    ],
)
def test_what_cannot_be_shown_is_refused(shop: Shop, request_: dict[str, Any], code: str, pointer: str | None) -> None:
    if request_.get("rule_set") == "other":
        request_ = {"rule_set": shop.workshop.context.explainers.get(shop.other).rule_set}
    with pytest.raises(StorageError) as refusal:
        shop.make(**request_)
    assert (refusal.value.code, refusal.value.pointer) == (code, pointer)


def test_a_row_that_there_is_not_fails_the_job_by_its_name(shop: Shop) -> None:
    made = shop.make(rows=["no such row"])
    assert made.problem is not None
    assert "no such row" in made.problem.detail


def test_a_report_on_something_that_was_deleted_cannot_be_verified(shop: Shop) -> None:
    workshop = shop.workshop
    audit = workshop.audit(model=shop.model, dataset=shop.dataset, method="neighbors").id
    made = shop.make(label_audit=audit)
    artefacts.delete_one(workshop.context, LABEL_AUDITS, audit)
    with pytest.raises(Conflict, match="cannot be drawn again"):
        shop.verify(made)
