"""Prototype jobs from the row of the job to the published result, and why they fail."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from schemas.prototype_sets import Criticism, Prototype, PrototypeMethod, PrototypeSet, PrototypeSetResult
from storage.array_files import read_arrays
from storage.dataset_files import DatasetFile
from storage.errors import StorageError
from tests.support import naive
from tests.support.job_contexts import job_context
from tests.support.models import FittedModel, fitted
from tests.support.pipelines import PIPELINES, fitted_pipeline, rows_of_frame
from tests.support.real_jobs import REGRESSION, RealCase, register_real
from tests.support.sampling import mostly_long
from tests.support.workshop import Workshop, cautions_of, result_of, workshop_in
from workers.jobs.prototype_sets import make_prototype_set

from .conftest import FindCase


def _frame(model: FittedModel) -> pd.DataFrame:
    frame = pd.DataFrame(model.features, columns=list(model.rows.names))
    return frame.assign(t=model.target)


def _register(workshop: Workshop, model: FittedModel, **metadata: object) -> str:
    return workshop.register_model(model.onnx, feature_names=list(model.rows.names), **metadata)


@pytest.fixture
def case(real_case: FindCase) -> RealCase:
    return real_case("titanic", "random_forest")


@pytest.fixture
def forest(workshop: Workshop) -> tuple[str, pd.DataFrame]:
    model = fitted("random_forest_binary")
    return _register(workshop, model, ensemble="random_forest"), _frame(model)


def _prototypes(workshop: Workshop, case: RealCase, **request: object) -> PrototypeSet:
    return workshop.make(**{"model": case.model, "dataset": case.dataset, "n_prototypes": 4, **request})


def test_sg_on_other_rows_is_judged_by_them_and_says_so(workshop: Workshop, forest: tuple[str, pd.DataFrame]) -> None:
    model, frame = forest
    rows, others = (workshop.register_dataset(part, target="t") for part in (frame[:300], frame[300:]))
    request = {"model": model, "dataset": rows, "evaluation_dataset": others, "method": "sg", "labels": "target"}

    evaluated = result_of(workshop.make(**request, selected_on="evaluation_dataset", metric="accuracy", n_prototypes=5))
    own = result_of(workshop.make(**request, metric="accuracy", n_prototypes=5))

    scores = [each.evaluation[-1].accuracy or 0 for each in (evaluated, own)]
    assert scores[0] >= scores[1] > 0.8
    assert "selected for their predictions" in cautions_of(evaluated)
    assert "selected for their predictions" not in cautions_of(own)


def test_criticisms_are_rows_that_prototypes_of_their_class_are_far_from(workshop: Workshop, case: RealCase) -> None:
    made = result_of(_prototypes(workshop, case, min_leaf_rows=1))

    rows = [each.row for each in made.criticisms]
    assert [each.rank for each in made.criticisms] == list(range(1, 11))
    assert not set(rows) & {each.row for each in made.prototypes}
    for each in made.criticisms:
        own = [other.row for other in made.prototypes if other.label == each.label]
        near = [case.training_proximity[each.row, row] for row in own]
        assert each.proximity == pytest.approx(max(near, default=0) / int(case.weights.sum()))
        assert [cell.value for cell in each.features] == pytest.approx(case.real.features[each.row].tolist())


@pytest.mark.parametrize("labels", ["predicted", "target"])
def test_prototypes_and_criticisms_have_what_is_predicted_for_them_and_what_came_of_them(
    workshop: Workshop, forest: tuple[str, pd.DataFrame], labels: str
) -> None:
    model, frame = forest
    turned = frame.assign(t=np.where(np.arange(len(frame)) % 2 == 0, 1 - frame["t"], frame["t"]))
    dataset = workshop.register_dataset(turned, target="t")

    result = result_of(workshop.make(model=model, dataset=dataset, n_prototypes=8, labels=labels))

    predicted = fitted("random_forest_binary").session.run_in_chunks(fitted("random_forest_binary").rows).labels
    assert predicted is not None
    cases: list[Prototype | Criticism] = [*result.prototypes, *result.criticisms]
    assert [each.predicted for each in cases] == [result.classes[predicted[each.row]] for each in cases]
    assert [each.target for each in cases] == [str(turned["t"].iloc[each.row]) for each in cases]
    assert [each.label for each in cases] == [getattr(each, labels) for each in cases]
    assert any(each.predicted != each.target for each in cases)


def test_criticisms_of_k_medoids_are_far_from_prototypes_of_every_class(workshop: Workshop, case: RealCase) -> None:
    made = result_of(_prototypes(workshop, case, method="k_medoids", min_leaf_rows=1))

    prototypes, rows = ([each.row for each in some] for some in (made.prototypes, made.criticisms))
    one_class = np.zeros(made.n_rows, dtype=np.int64)
    assert rows == naive.criticisms(case.training_proximity, one_class, prototypes, 10)
    nearest = case.training_proximity[np.ix_(rows, prototypes)].max(axis=1) / int(case.weights.sum())
    assert [each.proximity for each in made.criticisms] == pytest.approx(nearest.tolist())


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"metric": "accuracy"}, "validation_failed"),
        ({"selected_on": "evaluation_dataset"}, "validation_failed"),
        ({"method": "sg", "selected_on": "evaluation_dataset"}, "validation_failed"),
    ],
)
def test_what_judges_sg_is_refused_elsewhere(
    workshop: Workshop, case: RealCase, changes: dict[str, object], code: str
) -> None:
    with pytest.raises(StorageError) as refused:
        _prototypes(workshop, case, **changes)
    assert refused.value.code == code


@pytest.mark.parametrize("lacks", ["target", "a label"])
def test_sg_is_refused_rows_to_judge_it_that_have_no_labels(
    workshop: Workshop, forest: tuple[str, pd.DataFrame], lacks: str
) -> None:
    model, frame = forest
    rows, unnamed = workshop.register_dataset(frame[:300], target="t"), frame[300:].drop(columns="t")
    if lacks == "target":
        others, advice = workshop.register_dataset(unnamed), "has none; name it in its metadata, or take metric"
    else:
        labels = frame["t"][300:].astype(float).where(np.arange(len(unnamed)) > 0)
        others = workshop.register_dataset(unnamed.assign(t=labels), target="t")
        advice = "has no 't' in 1 of its rows; leave them out, or take metric"
    request = {"model": model, "dataset": rows, "evaluation_dataset": others, "method": "sg", "labels": "target"}

    for metric, instead in (("accuracy", "fidelity"), ("balanced_accuracy", "balanced_fidelity")):
        with pytest.raises(StorageError) as refused:
            workshop.make(**request, selected_on="evaluation_dataset", metric=metric)
        assert (refused.value.code, refused.value.pointer) == ("schema_mismatch", "/evaluation_dataset")
        assert refused.value.detail.endswith(f"{advice} {instead}")


def test_sg_is_judged_by_the_models_predictions_of_rows_without_a_target(
    workshop: Workshop, forest: tuple[str, pd.DataFrame]
) -> None:
    model, frame = forest
    rows, others = workshop.register_dataset(frame[:300], target="t"), frame[300:].drop(columns="t")
    request = {"model": model, "dataset": rows, "method": "sg", "labels": "target", "n_prototypes": 3}
    judged = {"selected_on": "evaluation_dataset", "metric": "fidelity"}

    made = workshop.make(**request, **judged, evaluation_dataset=workshop.register_dataset(others))

    assert made.status == "ready"


def test_prototypes_are_rendered_as_the_rows_that_they_are(workshop: Workshop, case: RealCase) -> None:
    made = _prototypes(workshop, case)

    features, names = case.real.features, case.opened.view.feature_names
    result = result_of(made)
    assert [prototype.rank for prototype in result.prototypes] == [1, 2, 3, 4]
    for prototype in result.prototypes:
        assert prototype.row_id == f"row {prototype.row}"
        assert [cell.name for cell in prototype.features] == names
        assert [cell.value for cell in prototype.features] == pytest.approx(features[prototype.row].tolist())
        assert prototype.label == str(case.real.predicted[prototype.row])


def test_features_are_reported_in_the_models_names_and_order_whatever_the_dataset_calls_them(
    workshop: Workshop, case: RealCase
) -> None:
    stored = workshop.context.datasets.get(case.dataset)
    content = pd.read_parquet(workshop.context.objects.path(stored.content))
    names = case.opened.view.feature_names
    shuffled = workshop.register_dataset(content[["t", *reversed(names), "id"]], target="t", row_id="id")
    unnamed = workshop.register_model(
        workshop.context.objects.get(case.opened.view.sha256), ensemble="random_forest", name="never named"
    )
    assert workshop.context.models.get(unnamed).view.feature_names == [f"x{n}" for n in range(len(names))]

    by_name = _prototypes(workshop, case, dataset=shuffled)
    by_position = _prototypes(workshop, case, model=unnamed)

    expected = _prototypes(workshop, case)
    assert result_of(by_name).prototypes == result_of(expected).prototypes
    for given, wanted in zip(result_of(by_position).prototypes, result_of(expected).prototypes, strict=True):
        assert given.row == wanted.row
        assert [cell.name for cell in given.features] == [f"x{n}" for n in range(len(names))]
        assert [cell.value for cell in given.features] == [cell.value for cell in wanted.features]


def test_the_same_request_makes_the_same_bytes_anywhere(tmp_path: Path) -> None:
    results, arrays = set(), set()
    for name in ("one", "other"):
        with workshop_in(tmp_path / name) as workshop:
            case = register_real(workshop, "titanic", "boosting")
            made = _prototypes(workshop, case, method="a_pete", n_prototypes=None, seed=5)
            stored = workshop.context.artefacts.get("prototype_sets", made.id)
            results.add((made.id, stored.result))
            arrays.add(stored.arrays)

    assert len(results) == len(arrays) == 1


def test_another_seed_is_another_artefact_with_the_same_prototypes(workshop: Workshop, case: RealCase) -> None:
    first, other = _prototypes(workshop, case, seed=1), _prototypes(workshop, case, seed=2)

    assert first.id != other.id
    assert result_of(first).prototypes == result_of(other).prototypes


def test_what_does_not_matter_for_the_answer_makes_no_other_artefact(workshop: Workshop, case: RealCase) -> None:
    spelled_out = _prototypes(workshop, case, n_prototypes=10, alpha=0.05)

    assert workshop.create(model=case.model, dataset=case.dataset).id == spelled_out.id


def test_the_result_is_the_contracts_and_explainers_find_their_arrays(workshop: Workshop, case: RealCase) -> None:
    made = _prototypes(workshop, case, min_leaf_rows=1)
    stored = workshop.context.artefacts.get("prototype_sets", made.id)

    content = PrototypeSetResult.model_validate_json(workshop.context.objects.get(stored.result or ""))
    arrays = read_arrays(workshop.context.objects.get(stored.arrays or ""))

    assert content.prototypes == result_of(made).prototypes
    chosen = [prototype.row for prototype in content.prototypes]
    same_leaf = arrays["leaves"][:, None, :] == arrays["leaves"][None, :, :]
    np.testing.assert_array_equal(same_leaf.sum(axis=2), case.training_proximity[np.ix_(chosen, chosen)])
    assert arrays["weights"].tolist() == case.weights.tolist()


def test_fewer_are_chosen_when_no_row_is_left_to_cover(workshop: Workshop, case: RealCase) -> None:
    stored = workshop.context.datasets.get(case.dataset)
    content = pd.read_parquet(workshop.context.objects.path(stored.content))
    kept = content.groupby("t").head(2).assign(id=None).drop(columns="id")
    repeated = workshop.register_dataset(pd.concat([kept] * 5), target="t")

    made = _prototypes(workshop, case, dataset=repeated, n_prototypes=20)

    assert made.status == "ready"
    result = result_of(made)
    assert result.n_selected == len(result.prototypes) <= 4
    assert result.stopped_by.reason == "no_gain"
    assert result.objective_mean == 1


def test_rows_that_fail_are_reported_with_what_to_mend(workshop: Workshop, forest: tuple[str, pd.DataFrame]) -> None:
    model, frame = forest
    unlabelled = frame.assign(t=frame["t"].where(frame.index != 3))
    alone = frame[frame["t"] == 0].head(20)
    cases = {
        "all 20 rows": alone,
        "row 3 of dataset": unlabelled,
        "row 3 (row_id 'customer 3') of dataset": unlabelled.assign(id=[f"customer {row}" for row in frame.index]),
        "has the target 2.0;": frame.assign(t=frame["t"] + 2),
        "has the target 'benign'": frame.assign(t="benign"),
    }
    for message, rows in cases.items():
        dataset = workshop.register_dataset(rows, target="t", row_id="id" if "id" in rows else None)
        failed = workshop.make(model=model, dataset=dataset, n_prototypes=3)

        assert failed.status == "failed"
        assert failed.problem is not None
        assert failed.problem.code == "schema_mismatch"
        assert message in failed.problem.detail
        assert failed.result is None
        assert workshop.context.jobs.get(failed.job or "").problem == failed.problem


def test_one_row_is_too_few_for_classes_and_enough_for_regression(
    workshop: Workshop, forest: tuple[str, pd.DataFrame], real_case: FindCase
) -> None:
    model, frame = forest
    single = workshop.register_dataset(frame.head(1), target="t")
    failed = workshop.make(model=model, dataset=single, n_prototypes=1)
    assert failed.problem is not None
    assert (failed.status, failed.problem.code) == ("failed", "schema_mismatch")

    regression = real_case(REGRESSION, "random_forest")
    stored = workshop.context.datasets.get(regression.dataset)
    content = pd.read_parquet(workshop.context.objects.path(stored.content)).head(1)
    made = _prototypes(
        workshop, regression, dataset=workshop.register_dataset(content, target="t", row_id="id"), n_prototypes=1
    )
    result = result_of(made)
    assert (made.status, result.n_selected, result.objective_mean) == ("ready", 1, 1)
    assert result.evaluation[0].r2 is None  # one value does not vary


@pytest.mark.parametrize("spelling", mostly_long([bool, str, float], str))
def test_targets_are_the_models_classes_however_they_are_spelled(
    workshop: Workshop, forest: tuple[str, pd.DataFrame], spelling: type
) -> None:
    model, frame = forest
    expected = workshop.make(model=model, dataset=workshop.register_dataset(frame, target="t"), labels="target")
    respelled = frame.assign(t=[spelling(label) for label in frame["t"].tolist()])

    made = workshop.make(model=model, dataset=workshop.register_dataset(respelled, target="t"), labels="target")

    assert made.problem is None
    result = result_of(made)
    assert (result.prototypes, result.evaluation) == (result_of(expected).prototypes, result_of(expected).evaluation)


def test_a_damaged_object_fails_the_job_briefly_and_is_never_used(tmp_path: Path) -> None:
    with workshop_in(tmp_path / "secret folder") as workshop:
        case = register_real(workshop, "breast_cancer", "random_forest")
        content = workshop.context.objects.path(workshop.context.datasets.get(case.dataset).content)
        content.chmod(0o600)
        content.write_bytes(content.read_bytes()[:-1] + b"!")

        failed = _prototypes(workshop, case)

    assert failed.problem is not None
    assert (failed.status, failed.problem.code) == ("failed", "object_damaged")
    assert "secret" not in failed.problem.detail
    assert str(content.parent) not in failed.problem.detail  # it names the hash, not the folder


def test_a_job_that_is_cancelled_while_it_works_publishes_nothing(workshop: Workshop, case: RealCase) -> None:
    requested = workshop.create(model=case.model, dataset=case.dataset, n_prototypes=9, seed=99)
    claim = workshop.claim(requested.job or "")
    workshop.context.jobs.request_cancel(requested.job or "")

    workshop.work(claim)

    job = workshop.context.jobs.get(requested.job or "")
    assert job.status == "cancelled"
    assert workshop.context.artefacts.get("prototype_sets", requested.id).result is None


@pytest.mark.parametrize("method", ["sm_u", "sm_a", "sm_wa", "sg", "a_pete"])
def test_progress_moves_through_all_stages_and_never_back(
    workshop: Workshop, case: RealCase, tmp_path: Path, method: PrototypeMethod
) -> None:
    kind = {"proximity_kind": "random_forest"}
    request = {"model": case.model, "dataset": case.dataset, "method": method, **kind, "nearest_rows": kind}
    reported: list[tuple[float, str]] = []

    def listen(fraction: float, stage: str) -> None:
        reported.append((fraction, stage))

    context = replace(
        job_context(workshop, tmp_path, listen),
        request={
            **request,
            "n_prototypes": None if method == "a_pete" else 20,
            "evaluation_dataset": case.evaluation_dataset,
        },
    )
    make_prototype_set(context)

    fractions, stages = [fraction for fraction, _ in reported], [stage for _, stage in reported]
    assert fractions == sorted(fractions)
    assert 0 <= fractions[0] < fractions[-1] <= 1
    assert list(dict.fromkeys(stages))[-3:] == ["measuring quality", "evaluating", "finding nearest rows"]


def test_missing_values_and_categories_reach_the_prototypes_as_they_are(workshop: Workshop) -> None:
    pipeline, (_, table) = fitted_pipeline("scaled_and_one_hot"), PIPELINES["scaled_and_one_hot"]()
    model = workshop.register_model(pipeline.onnx, feature_names=list(pipeline.rows.names), ensemble="random_forest")
    dataset = workshop.register_dataset(table.features.assign(t=table.target), target="t")

    made = workshop.make(model=model, dataset=dataset, n_prototypes=30)

    assert made.problem is None
    rows = rows_of_frame(table.features)
    for prototype in result_of(made).prototypes:
        raw = [column[prototype.row] for column in rows.columns]
        wanted = [None if isinstance(value, float) and np.isnan(value) else value for value in raw]
        assert [cell.value for cell in prototype.features] == wanted
    result = result_of(made)
    assert any(cell.value is None for prototype in result.prototypes for cell in prototype.features)


def test_the_stored_content_is_plain_json_without_dicts_by_class_or_feature(workshop: Workshop, case: RealCase) -> None:
    made = _prototypes(workshop, case)
    stored = workshop.context.artefacts.get("prototype_sets", made.id)
    data = workshop.context.objects.get(stored.result or "")

    keys = {key for each in _objects(json.loads(data)) for key in each}

    assert hashlib.sha256(data).hexdigest() == stored.result
    assert not keys & {*case.opened.view.feature_names, *case.opened.view.classes}
    with DatasetFile(workshop.context.objects.path(workshop.context.datasets.get(case.dataset).content)) as file:
        assert not keys & {*file.names}


def _objects(value: object) -> list[dict[str, object]]:
    if isinstance(value, dict):
        return [value, *(found for item in value.values() for found in _objects(item))]
    if isinstance(value, list):
        return [found for item in value for found in _objects(item)]
    return []
