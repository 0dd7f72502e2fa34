"""What jobs work on: the same whatever the size of the blocks in which rows are read."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.support.job_contexts import forget_leaf_tables, job_context
from tests.support.models import fitted
from tests.support.real_jobs import REGRESSION, register_real
from tests.support.workshop import workshop_in
from tree_explainers.compute.progress import ignore_progress
from workers.jobs import inputs


@pytest.mark.parametrize("dataset", ["titanic", REGRESSION])
def test_rows_read_in_blocks_are_seen_as_scikit_learn_sees_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dataset: str
) -> None:
    with workshop_in(tmp_path) as workshop:
        case = register_real(workshop, dataset, "random_forest")
        context = job_context(workshop, tmp_path)
        seen = []
        for n_rows in (65_536, 299, 300, 7):
            monkeypatch.setattr(inputs, "_BLOCK_ROWS", n_rows)
            seen.append(inputs.apply_model(context, case.opened, case.dataset, ignore_progress))
            forget_leaf_tables(workshop)

    for each in seen:
        assert each.n_rows == 300
        np.testing.assert_array_equal(each.table.codes, seen[0].table.codes)
        np.testing.assert_array_equal(each.scores, seen[0].scores)
    theirs, ours = case.real.leaves[case.training], seen[0].leaves_of(np.arange(300))
    for tree in range(theirs.shape[1]):
        pairs = {*zip(ours[:, tree].tolist(), theirs[:, tree].tolist(), strict=True)}
        assert len(pairs) == len({*ours[:, tree].tolist()}) == len({*theirs[:, tree].tolist()})


def test_ties_between_classes_are_broken_as_in_explanations_of_single_rows(tmp_path: Path) -> None:
    forest = fitted("random_forest_binary")
    rng = np.random.default_rng(0)
    drawn = forest.features[rng.integers(0, len(forest.features), 3000)]
    noisy = (drawn * rng.normal(1, 0.3, drawn.shape)).astype(np.float32)
    with workshop_in(tmp_path) as workshop:
        context = workshop.context
        model = workshop.register_model(forest.onnx, feature_names=list(forest.rows.names))
        dataset = workshop.register_dataset(pd.DataFrame(noisy, columns=list(forest.rows.names)))
        opened = inputs.open_model(context.models, context.objects, model)
        seen = inputs.apply_model(job_context(workshop, tmp_path), opened, dataset, ignore_progress)
        session = context.sessions.get(model)
        alone = [session.run(session.encode_matrix(noisy[row : row + 1])) for row in range(len(noisy))]

    assert (np.abs(seen.scores[:, 0] - 0.5) < 1e-6).sum() > 20
    assert seen.labels is not None
    assert seen.labels.tolist() == [int(each.labels[0]) for each in alone if each.labels is not None]
    np.testing.assert_array_equal(seen.scores, np.concatenate([each.scores for each in alone]))


def test_progress_is_told_while_rows_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[float] = []
    monkeypatch.setattr(inputs, "_BLOCK_ROWS", 100)
    with workshop_in(tmp_path) as workshop:
        case = register_real(workshop, "titanic", "random_forest")
        context = job_context(workshop, tmp_path)
        inputs.apply_model(context, case.opened, case.dataset, lambda fraction, _stage: reported.append(fraction))

    assert reported == pytest.approx([1 / 3, 2 / 3, 1])
