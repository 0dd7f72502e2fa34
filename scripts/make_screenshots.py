"""Write pictures of the page: each view with four sets of data, at 1280 and 390 pixels, light and dark.

``python -m scripts.make_screenshots [FOLDER]`` starts a service of its own on an empty data directory; with
``LEAFSPACE_URL`` it uses the one that is there. The data are the team's shared ones (``LEAFSPACE_SHARED``). It needs
Chromium and what ``make browser`` installs. With ``--docs``, pictures that the documentation
shows go to ``docs/images``.
"""

import argparse
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from leafspace_client import Leafspace
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

_ROOT = Path(__file__).parents[1]
_WIDTHS, _HEIGHT = (1280, 390), 900
_THEMES = ("light", "dark")
_DOCS = {"titanic-why-1280-light": "why", "titanic-prototypes-1280-light": "prototypes"}  # and their names there


@dataclass(frozen=True)
class Subject:
    """A model with its rows."""

    name: str
    model: Any  # an estimator, fitted
    rows: pd.DataFrame
    target: pd.Series
    row: str  # the one that is explained
    more: bool = True  # rules and a tree are made, too


def main() -> int:
    """Write the pictures; return the exit status."""
    reader = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    reader.add_argument("folder", nargs="?", default="screenshots", type=Path)
    reader.add_argument("--docs", action="store_true", help="keep what the documentation shows in docs/images")
    reader.add_argument("--only", default="", help="names of pictures that contain this text")
    arguments = reader.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        url = os.environ.get("LEAFSPACE_URL") or stack.enter_context(_own_service())
        _photograph(url, _views(Leafspace(url)), arguments.folder, arguments.only)
    for picture, name in _DOCS.items() if arguments.docs else ():
        shutil.copy(arguments.folder / f"{picture}.png", _ROOT / "docs/images" / f"{name}.png")
    return 0


def _own_service() -> Any:  # a context manager
    from tests.support.serving import serving  # needs what tests need

    folder = Path(tempfile.mkdtemp(prefix="screenshots-"))

    class Own:
        def __enter__(self) -> str:
            self._serving = serving(folder / "data")
            return self._serving.__enter__().url

        def __exit__(self, *error: object) -> None:
            self._serving.__exit__(*error)  # type: ignore[arg-type]  # as it comes
            shutil.rmtree(folder, ignore_errors=True)

    return Own()


def _subjects(shared: Path) -> Iterator[Subject]:
    titanic = pd.read_parquet(shared / "titanic.parquet")
    rows = titanic[["pclass", "sex", "age", "sibsp", "parch", "fare"]].astype({"sex": object, "age": float})
    survived = titanic["survived"].map({0: "died", 1: "survived"})
    encoder = make_column_transformer((OneHotEncoder(), ["sex"]), remainder=SimpleImputer(strategy="median"))
    forest = make_pipeline(encoder, RandomForestClassifier(200, min_samples_leaf=3, random_state=0))
    yield Subject("titanic", forest.fit(rows, survived), rows, survived, "6")

    tumours = pd.read_parquet(shared / "breast_cancer.parquet")
    rows, kind = tumours.drop(columns="target"), tumours["target"].map({0: "malignant", 1: "benign"})
    yield Subject("tumours", RandomForestClassifier(200, random_state=0).fit(rows, kind), rows, kind, "3")

    houses = pd.read_parquet(shared / "california_housing.parquet").sample(4000, random_state=0).reset_index(drop=True)
    rows, price = houses.drop(columns="median_house_value").astype(float), houses["median_house_value"].astype(float)
    model = RandomForestRegressor(100, min_samples_leaf=5, random_state=0).fit(rows, price)
    yield Subject("house prices", model, rows, price, "0")

    with np.load(shared / "mnist.npz", allow_pickle=False) as digits:
        chosen = np.flatnonzero(np.isin(digits["y_train"], (4, 9)))[:1500]
        pixels, label = digits["X_train"][chosen].reshape(len(chosen), -1), digits["y_train"][chosen].astype(str)
    names = [f"pixel_{row}_{column}" for row in range(28) for column in range(28)]
    rows, digit = pd.DataFrame(pixels.astype(float), columns=names), pd.Series(label, name="digit")
    yield Subject("4 or 9", RandomForestClassifier(100, random_state=0).fit(rows, digit), rows, digit, "7", more=False)

    written = load_digits()  # ten classes, 64 features, and names as long as people make them
    names = [
        f"darkness_of_pixel_{column}_from_the_left_and_{row}_from_the_top" for row in range(8) for column in range(8)
    ]
    rows = pd.DataFrame(written.data, columns=names)
    digit = pd.Series(written.target, name="digit").map(lambda value: f"the digit {value} as it is written by hand")
    yield Subject("ten digits", RandomForestClassifier(100, random_state=0).fit(rows, digit), rows, digit, "7")


def _views(client: Leafspace) -> Iterator[tuple[str, str]]:
    """Make everything; yield the name and the address of each view."""
    shared = Path(os.environ.get("LEAFSPACE_SHARED", _ROOT.parent / "shared")) / "data"
    for subject in _subjects(shared):
        name = subject.name.replace(" ", "-")
        for view, address in _made(client, subject):
            yield f"{name}-{view}", address
    yield "overview", ""
    yield "jobs", "jobs"
    yield "operation", "operation"


def _made(client: Leafspace, subject: Subject) -> Iterator[tuple[str, str]]:
    model = client.register_model(subject.model, subject.rows, name=subject.name)
    table = subject.rows.assign(**{str(subject.target.name): subject.target})
    dataset = client.register_dataset(table, name=subject.name, target=str(subject.target.name))
    prototypes = client.prototype_sets.create(model, dataset, n_prototypes=12).wait(progress=False)
    ids: dict[str, Any] = {}
    if subject.more:
        ids["rule_set"] = client.rule_sets.create(model, dataset).wait(progress=False)
        ids["approximation_tree"] = client.approximation_trees.create(model, dataset, max_depth=3).wait(progress=False)
    explainer = client.explainers.create(model, prototypes, name=subject.name, **ids)
    yield "model", f"models/{model.id}"
    yield "dataset", f"datasets/{dataset.id}"
    yield "prototypes", f"prototypes/{prototypes.id}"
    yield "explainer", f"explainers/{explainer.id}"
    yield "why", f"explainers/{explainer.id}/rows/{subject.row}"
    yield "letter", f"explainers/{explainer.id}/rows/{subject.row}?letter="
    yield "form", f"explainers/{explainer.id}/form"
    yield "evaluation", f"evaluations/{client.evaluations.create(model, dataset).wait(progress=False).id}"
    if ids:
        yield "regions", f"regions/{explainer.id}"
        yield "rules", f"rules/{ids['rule_set'].id}"
        yield "tree", f"trees/{ids['approximation_tree'].id}"
        yield "questions", f"questions/{ids['approximation_tree'].id}"
    if model.classes:
        audit = client.label_audits.create(model, dataset).wait(progress=False)
        yield "audit", f"audits/{audit.id}"
        yield "review", f"reviews/{audit.id}"
    yield "represented", f"represented/{prototypes.id}/1"
    yield (
        "map",
        f"maps/{client.maps.create(model, dataset, prototype_set=prototypes, n_rows=1000).wait(progress=False).id}",
    )
    report = client.reports.create(f"Review of {subject.name}", explainer, rows=[subject.row]).wait(progress=False)
    yield "report", f"reports/{report.id}"


def _photograph(url: str, views: Iterator[tuple[str, str]], folder: Path, only: str) -> None:
    from tests.support.browser import chromium  # needs what tests need

    addresses = list(views)
    with chromium() as browser:
        for theme in _THEMES:
            context = browser.new_context(color_scheme=theme)  # type: ignore[arg-type]  # one of two words
            page = context.new_page()
            for width in _WIDTHS:
                page.set_viewport_size({"width": width, "height": _HEIGHT})
                for name, address in addresses:
                    if only not in (picture := f"{name}-{width}-{theme}"):
                        continue
                    page.goto("about:blank")
                    page.goto(f"{url}/ui/#/{address}")
                    page.wait_for_selector("main h1")
                    page.screenshot(path=folder / f"{picture}.png", full_page=True)
            context.close()


if __name__ == "__main__":
    raise SystemExit(main())
