"""The tutorial and the how-to guides do what they show: their blocks run as readers would run them, and print the same.

After a change of output, ``LEAFSPACE_TEST_WRITE_PAGES=1 pytest tests/end_to_end/test_manual.py`` writes the pages.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from leafspace_client import Leafspace
from sklearn.ensemble import RandomForestClassifier

from tests.support.page_sessions import with_outputs
from tests.support.serving import Service, serving
from tests.support.sources import ROOT, name_of

_PAGES = [ROOT / "docs" / "tutorial.md", *sorted((ROOT / "docs" / "how-to").glob("*.md"))]
_WIDTH, _HEIGHT = 1100, 1092  # down to the end of the effects
_LIGHT = "--blink-settings=preferredColorScheme=1"
_NOT_RUN_HERE = {"index.md", "python.md"}  # a list of links; the client's README, which has tests of its own
_LIBRARIES = {"mlflow.md": ("mlflow", "make mlflow")}  # that pages need beside the project's own, and how to get them


@pytest.fixture(scope="module")
def fresh_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Return a service in which nobody has registered words or names before, as readers have it."""
    with serving(tmp_path_factory.mktemp("manual") / "data") as service:
        yield service


def _take_picture(file: Path) -> None:
    """Take the picture of a decision that README and manual show, if this page saved it and there is a Chromium."""
    chromium = shutil.which("chromium")
    if chromium and file.exists():
        picture = ROOT / "docs" / "images" / "decision.png"
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            f"--window-size={_WIDTH},{_HEIGHT}",
        ]
        subprocess.run([chromium, *options, _LIGHT, f"--screenshot={picture}", file.as_uri()], check=True)


@pytest.mark.parametrize("page", [page for page in _PAGES if page.name not in _NOT_RUN_HERE], ids=name_of)
def test_a_page_prints_what_it_shows(page: Path, fresh_service: Service, tmp_path: Path) -> None:
    library, installs = _LIBRARIES.get(page.name, ("pytest", ""))
    pytest.importorskip(library, reason=f"{library} is not installed: {installs}")
    written = page.read_text(encoding="utf-8")

    printed = with_outputs(written, fresh_service.url, tmp_path)

    if "LEAFSPACE_TEST_WRITE_PAGES" in os.environ:
        page.write_text(printed, encoding="utf-8")
        _take_picture(tmp_path / "decision.html")
    assert printed == written


def test_what_the_page_of_dictionaries_shows_can_be_typed(fresh_service: Service, tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"duration": random.integers(6, 60, 120), "amount": random.integers(500, 9000, 120)})
    frame["risk"] = np.where(frame["duration"] * frame["amount"] > 100_000, "bad", "good")
    frame["purpose"], frame["branch"] = random.choice(["A40", "A41"], 120), random.integers(1, 9, 120)
    frame["sex"] = random.choice(["female", "male"], 120)
    numbers = ["duration", "amount", "branch"]
    forest = RandomForestClassifier(8, min_samples_leaf=3, random_state=0).fit(frame[numbers], frame["risk"])
    with Leafspace(fresh_service.url) as client:
        dataset = client.register_dataset(frame, target="risk")
        model = client.register_model(forest, frame[numbers])
        explainer = client.explainers.create(model, client.prototype_sets.create(model, dataset, n_prototypes=2).wait())
        row = frame[frame["risk"] == "bad"][numbers].head(1)
        given = {"client": client, "frame": frame, "explainer": explainer, "row": row}
        page = (ROOT / "docs" / "dictionary.md").read_text(encoding="utf-8")

        printed = with_outputs(page, fresh_service.url, tmp_path, given)

    letter = printed.rpartition("```text\n")[2].partition("```")[0]
    assert "The decision is: declined." in letter
    assert "duration of the loan (R3)" in letter
