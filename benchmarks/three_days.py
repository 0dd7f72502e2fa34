"""Three people's days, step by step with seconds: a data scientist, a reviewer, an operator.

The data scientist's model decides about incomes (adult census: 12,000 rows to train on, 3,000 held out, eight columns
of categories), by a LightGBM with categories of its own and by a forest behind an encoder. The reviewer has the page
alone, in a real Chromium. The operator has a shell. Each step is what the manual says to do; none is repeated, so that
first times, in which loops are loaded, are in it. ``python -m benchmarks.three_days``
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from leafspace_client import Leafspace
from lightgbm import LGBMClassifier
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from tests.support.browser import chromium
from tests.support.chaos.service_under_fire import Part, ServiceUnderFire
from tests.support.shared import shared_path

from .machine import describe_machine

_N_TRAIN, _N_NEW = 12_000, 3_000
_DECISION = {
    "score_of": ">50K",
    "bands": {"refused": 0.3, "looked at": 0.6, "granted": None},
    "best_first": False,
    "adverse": ["refused", "looked at"],
}


def main() -> None:
    """Live the three days, and print them."""
    print(describe_machine())
    with tempfile.TemporaryDirectory() as folder:
        service = ServiceUnderFire(Path(folder) / "data", n_workers=2)
        day = Day()
        day.step("operator: start the service on an empty folder", service.start)
        try:
            made = data_scientists_day(day, service.url, Path(folder))
            reviewers_day(day, service.url, made)
            operators_day(day, service, Path(folder), made)
        finally:
            service.stop()
    print(f"all: {day.seconds:.0f} s of waiting in {day.n_steps} steps")


@dataclass
class Day:
    """Steps, each printed with its seconds."""

    seconds: float = 0.0
    n_steps: int = 0

    def step(self, what: str, do: Callable[[], Any]) -> Any:  # what the step returns
        """Do a step; print how long it took."""
        start = time.perf_counter()
        result = do()
        seconds = time.perf_counter() - start
        self.seconds += seconds
        self.n_steps += 1
        print(f"{seconds:7.2f} s  {what}", flush=True)
        return result


def data_scientists_day(day: Day, url: str, folder: Path) -> dict[str, Any]:
    """From a fitted model to a report."""
    rows, labels, new_rows, new_labels = _incomes()
    boosted = LGBMClassifier(n_estimators=200, num_leaves=15, verbose=-1, random_state=0).fit(rows, labels)
    names = [name for name in rows if rows[name].dtype == "category"]
    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), names), remainder="passthrough", verbose_feature_names_out=False
    )
    forest = make_pipeline(encoder, RandomForestClassifier(100, min_samples_leaf=5, random_state=0)).fit(rows, labels)
    client = Leafspace(url)
    made: dict[str, Any] = {}

    def do(name: str, what: str, call: Callable[[], Any]) -> None:
        made[name] = day.step(f"data scientist: {what}", call)

    do("model", "register LightGBM", lambda: client.register_model(boosted, rows, name="incomes", decision=_DECISION))
    do("forest", "register a pipeline", lambda: client.register_model(forest, rows, name="forest", decision=_DECISION))
    do("seen", "register 12,000 rows", lambda: _registered(client, rows, labels, "training rows"))
    do("new", "register 3,000 held-out rows", lambda: _registered(client, new_rows, new_labels, "held out"))
    model, seen, new = made["model"], made["seen"], made["new"]
    do(
        "prototypes",
        "8 prototypes",
        lambda: client.prototype_sets.create(model, seen, n_prototypes=8, evaluation_dataset=new).wait(),
    )
    do(
        "explainer",
        "an explainer",
        lambda: client.explainers.create(model, made["prototypes"], name="incomes"),
    )
    explain = made["explainer"].explain
    one = new_rows.iloc[[0]]
    do("first", "explain a first row", lambda: explain(one))
    do("second", "explain another", lambda: explain(new_rows.iloc[[1]]))
    do("evidence", "with evidence and changes", lambda: explain(one, include=["evidence"], changes={"max_features": 2}))
    do("thousand", "explain 1,000 rows", lambda: explain(new_rows.iloc[:1000]))
    do(
        "set",
        "what counts overall, on all held-out rows",
        lambda: client.explanation_sets.create(made["explainer"], new).wait(),
    )
    do(
        "evaluation",
        "how well, for whom, and where it is wrong",
        lambda: client.evaluations.create(model, new, group_by=["sex", "race"]).wait(),
    )
    do("audit", "which labels look wrong", lambda: client.label_audits.create(model, seen).wait())
    do(
        "rules",
        "the model as rules",
        lambda: client.rule_sets.create(model, seen, max_rules=8, evaluation_dataset=new).wait(),
    )
    do(
        "tree",
        "as one tree",
        lambda: client.approximation_trees.create(model, seen, max_depth=4, evaluation_dataset=new).wait(),
    )
    do("comparison", "against the forest", lambda: client.compare(model, made["forest"], on=new).wait())
    made["row"] = str(rows.index[0])
    do("report", "a report", lambda: _reported(client, made))
    do("saved", "saved and verified", lambda: _saved(made["report"], folder / "report.html"))
    return made


def _incomes() -> tuple[pd.DataFrame, pd.Series, pd.DataFrame, pd.Series]:
    frame = pd.read_parquet(shared_path("data/adult.parquet")).drop(columns="source_split")
    for name in frame.columns[[not pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]]:
        frame[name] = frame[name].astype(object).where(frame[name].notna(), np.nan)
    labels = frame.pop("income")
    texts = [name for name in frame if frame[name].dtype == object]
    frame = frame.astype(dict.fromkeys(texts, "category"))
    rows, new_rows, labels, new_labels = train_test_split(frame, labels, random_state=1)
    return rows[:_N_TRAIN], labels[:_N_TRAIN], new_rows[:_N_NEW], new_labels[:_N_NEW]


def _registered(client: Leafspace, rows: pd.DataFrame, labels: pd.Series, name: str) -> Any:
    is_held_out = name == "held out"
    return client.register_dataset(rows.assign(income=labels), target="income", name=name, held_out=is_held_out)


def _reported(client: Leafspace, made: dict[str, Any]) -> Any:
    parts = {"rule_set": made["rules"], "approximation_tree": made["tree"]}
    return client.reports.create("Incomes, first review", made["explainer"], rows=[made["row"]], **parts).wait()


def _saved(report: Any, target: Path) -> None:
    report.save(target)
    assert report.verify().status == "same"


def reviewers_day(day: Day, url: str, made: dict[str, Any]) -> None:
    """From the page's address to the report, without code."""
    one_row = f"explainers/{made['explainer'].id}/rows/{made['row']}"
    with _page(url) as open_view:
        for what, address in (
            ("the overview", ""),
            ("the model", f"models/{made['model'].id}"),
            ("how well, for whom, and where it is wrong", f"evaluations/{made['evaluation'].id}"),
            ("the prototypes", f"prototypes/{made['prototypes'].id}"),
            ("one decision", one_row),
            ("its letter", f"{one_row}?letter=Your%20application"),
            ("the form for an applicant", f"explainers/{made['explainer'].id}/form"),
            ("the rules", f"rules/{made['rules'].id}"),
            ("the tree", f"trees/{made['tree'].id}"),
            ("what another model changes", f"comparisons/{made['comparison'].id}"),
            ("the report", f"reports/{made['report'].id}"),
        ):
            day.step(f"reviewer: {what}", partial(open_view, address))


@contextmanager
def _page(url: str) -> Iterator[Callable[[str], None]]:
    with chromium() as browser:
        page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()

        def open_view(address: str) -> None:
            page.goto("about:blank")
            page.goto(f"{url}/ui/#/{address}")
            page.wait_for_selector("main h1")

        yield open_view


def operators_day(day: Day, service: ServiceUnderFire, folder: Path, made: dict[str, Any]) -> None:
    """Keys, a backup and its restore, what is killed, and a new start."""
    data_dir = ["--data-dir", str(service.data_dir)]
    day.step("operator: make a key", lambda: _leafspace("keys", "create", "app", "--days", "30", *data_dir))
    day.step("operator: list keys", lambda: _leafspace("keys", "list", *data_dir))
    day.step("operator: back up while it runs", lambda: _leafspace("backup", folder / "backup.tar", *data_dir))
    restored = ["--data-dir", str(folder / "restored")]
    day.step("operator: restore elsewhere", lambda: _leafspace("restore", folder / "backup.tar", *restored))
    day.step("operator: clear what is old", lambda: _leafspace("clear", *data_dir))
    client = Leafspace(service.url)
    kills: tuple[Part | None, ...] = (None, "redis", "worker", "api")
    for number, part in enumerate(kills):
        for process in [] if part is None else service.parts(part):
            service.signal(process)
        what = "nothing killed" if part is None else f"{part} killed"
        # Each has as many neighbours as no other: a result that is there already would be no job.
        day.step(
            f"operator: {what}; a job that is requested at once is done", partial(_do_job, client, made, 2 + number)
        )
    day.step("operator: stop", service.stop)
    day.step("operator: start again", service.start)
    wrong = ["serve", "--port", "0", *restored]
    day.step("operator: a wrong setting is named", lambda: _refused(wrong, LEAFSPACE_MAX_MODEL_BYTES="1GB"))


def _do_job(client: Leafspace, made: dict[str, Any], n_neighbors: int) -> None:
    client.proximities.create(made["model"].id, made["new"].id, n_neighbors=n_neighbors).wait()


def _leafspace(*arguments: object) -> None:
    command = [sys.executable, "-m", "leafspace", *map(str, arguments)]
    subprocess.run(command, check=True, capture_output=True)


def _refused(arguments: list[str], **settings: str) -> None:
    command = [sys.executable, "-m", "leafspace", *arguments]
    ended = subprocess.run(command, check=False, capture_output=True, env={**os.environ, **settings})
    assert ended.returncode == 1


if __name__ == "__main__":
    main()
