"""Every expression in the two READMEs is executed, as a reader would type it, against a real service.

What readers bring themselves, such as a forest and rows, is in ``_brought`` and ``_made_before``; where a README
abbreviates, ``_IN_FULL`` has what is meant.
"""

import os
import re
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import leafspace_client
import numpy as np
import pandas as pd
import pytest
from leafspace_client import Explanations, Leafspace, RetryPolicy
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from clients.python.tests.test_relational_service import bank_tables
from tests.support.serving import Service

Names: TypeAlias = dict[str, Any]
_ROOT = Path(__file__).parents[3]
_README = (_ROOT / "README.md").read_text(encoding="utf-8")
_CLIENT_README = (_ROOT / "clients" / "python" / "README.md").read_text(encoding="utf-8")
_IN_FULL = {
    "client.prototype_sets.create(model, dataset, …)": "client.prototype_sets.create(model, dataset)",
    '.decide(row, "relabel", label=…, note=…)': ".decide(row, 'relabel', label='benign', note='seen twice')",
    ".next_question({…})": ".next_question({'worst area': 700})",
    "client.models.proximities(…, weights_of=…)": "client.models.proximities(model, rows, rows, weights_of=audit)",
    'explainer.rename("…")': "explainer.rename('tumours')",
    '.history("credit-risk")': "client.explainer_names.history('credit-risk')",
    "put(…, expected=named)": "client.explainer_names.put('credit-risk', explainer, expected=named)",
    ".get(id)": "client.explanations.get(id)",
    ".verify(id)": "client.explanations.verify(id).status",
    ".delete(id)": "client.explanations.delete(id)",
    '.delete_row(explainer, "17")': "client.explanations.delete_row(explainer, '17')",
}
_OUTCOMES = {
    "explanation.label == forest.predict(X)[0]": True,
    "report.verify().status": "same",
    ".verify(id)": "same",
    '.delete_row(explainer, "17")': 1,
}
_RUN_BY_OTHERS = {  # methods in general, and what has tests of its own
    *("create(…)", "list()", ".list()", "await thing.load()"),
    *("wait()", "wait(progress=False)", "refresh()", "cancel()"),
    *("client.api_keys.create(name, scopes)", ".delete(key)", "Leafspace(url, api_key=…)"),
    *("with leafspace_client.local() as client:", "FunctionTransformer(np.log1p)"),
}
_TAKE_SECONDS = ("rule_sets.create", "approximation_trees.create", "maps.create", "compare_with")


def _spans(text: str) -> list[str]:
    """Return what stands between backticks."""
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", text)]


def _blocks(readme: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", readme, re.DOTALL)


def _requests(readme: str) -> list[tuple[str, list[str]]]:
    """Return what the tables say can be requested, each with what can be done with the result."""
    rows = [_spans(line) for line in readme.splitlines() if line.startswith("|")]
    return [(row[0], row[1:]) for row in rows if row and row[0].startswith(("client.", "explainer."))]


def _said(readme: str) -> list[str]:
    """Return the calls in the sentences of a README."""
    prose = re.sub(r"```.*?```|^\|.*?$", "", readme, flags=re.DOTALL | re.MULTILINE)
    return [span for span in _spans(prose) if "(" in span and span not in _RUN_BY_OTHERS]


def _takes_seconds(code: str) -> bool:
    return any(slow in code for slow in _TAKE_SECONDS)


_TABLE = [
    pytest.param(request, then, marks=[pytest.mark.long] if _takes_seconds(request) else [], id=request)
    for request, then in _requests(_CLIENT_README) + _requests(_README)
]
_SENTENCES = _said(_CLIENT_README) + _said(_README)
_SLOW = [span for span in _SENTENCES if _takes_seconds(span)]
_QUICK = [span for span in _SENTENCES if span not in _SLOW]


class Reader:
    """Somebody who types what the READMEs say, in one session."""

    def __init__(self, service: Service, lake: Path) -> None:
        self.names = _brought()
        self._own = {"http://127.0.0.1:8000": service.url, "s3://lake": lake.as_uri()}

    def types(self, code: str) -> Any:  # of each expression its own
        """Execute a block, or return what an expression is."""
        code = _IN_FULL.get(code, code)
        for written, own in self._own.items():
            code = code.replace(written, own)
        if "\n" in code:
            return exec(code, self.names)  # noqa: S102  # of our own README
        return eval(code, self.names)  # noqa: S307  # of our own README

    def does(self, thing: Any, then: list[str]) -> None:  # what a job has made
        """Do with a thing what the table says; a word in quotes is another form of the last file or export."""
        self.names["thing"], last = thing, ""
        for span in then:
            if span.startswith("."):
                last = _IN_FULL.get(span, span)
                self.types(f"thing{last}")
            elif span.startswith('"') and last:
                self.types(f"thing.export({span})" if ".export" in last else f"thing{last[:-1]}, {span})")
            elif span.startswith(("print(", "tree.", "report.")):
                self.types(span)
            else:
                last = ""


def _brought() -> Names:
    """Return what the READMEs take as given."""
    data = load_breast_cancer(as_frame=True)
    patients = data.data.rename(columns={"mean fractal dimension": "age"})
    rows, labels = patients[:150], pd.Series(data.target_names[data.target], name="y")[:150]
    forest = RandomForestClassifier(10, min_samples_leaf=3, random_state=0).fit(rows, labels)
    network = LogisticRegression(max_iter=10_000).fit(rows, labels)
    new_rows = patients[150:160].set_axis(["loan-4711", *map(str, range(1, 10))])
    libraries = {"np": np, "leafspace_client": leafspace_client, "Leafspace": Leafspace, "RetryPolicy": RetryPolicy}
    named = {"X": rows, "y": labels, "X_train": rows, "y_train": labels, "X_new": new_rows, "new_rows": new_rows}
    given = {"forest": forest, "network": network, "rows": new_rows, "others": new_rows, "tables": bank_tables()}
    return {**libraries, **named, **given, "url": "http://127.0.0.1:8000"}


@pytest.fixture(scope="module")
def reader(service: Service, lake_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """Return a reader who has typed the first block of each README, in a folder of their own."""
    reader, here = Reader(service, lake_root), Path.cwd()
    (lake_root / "scored" / "2026").mkdir(parents=True, exist_ok=True)
    for path in ("scored/a.parquet", "scored/2026/a.parquet"):
        reader.names["X"].assign(defaulted=reader.names["y"]).to_parquet(lake_root / path)
    os.chdir(tmp_path_factory.mktemp("reader"))
    for readme in (_CLIENT_README, _README):
        reader.types(_blocks(readme)[0])
        reader.names.setdefault("older", reader.names["explainer"])
    champion = RandomForestClassifier(12, min_samples_leaf=5, random_state=1)
    champion.fit(reader.names["X"], reader.names["y"])
    models = {"champion": champion, "challenger": reader.names["forest"]}
    registered = {name: reader.names["client"].register_model(each, reader.names["X"]) for name, each in models.items()}
    newer = reader.names["X"][20:].assign(y=reader.names["y"][20:])
    reader.names |= registered | {"newer": reader.names["client"].register_dataset(newer, target="y")}
    yield reader
    os.chdir(here)


@pytest.mark.parametrize(("request_", "then"), _TABLE)
@pytest.mark.sampled("thirds")
def test_what_the_tables_say_can_be_done(reader: Reader, request_: str, then: list[str]) -> None:
    found = reader.types(request_)
    made = found.wait() if hasattr(found, "wait") else found
    made_by_requests = ("prototype_set", "rule_set", "tree", "report", "label_audit", "evaluation")
    reader.names |= dict.fromkeys(made_by_requests, made) | {"row": 0}
    reader.does(made, then)


@pytest.mark.parametrize("spans", [_QUICK, pytest.param(_SLOW, marks=pytest.mark.long)], ids=["quick", "slow"])
def test_what_the_sentences_say_can_be_done(reader: Reader, spans: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webbrowser, "open", len)
    reader.names |= _made_before(reader.names)
    for span in spans:
        found = reader.types(span)
        assert found == _OUTCOMES.get(span, found), span


@pytest.mark.long
def test_several_tables_are_explained_as_the_readme_says(reader: Reader) -> None:
    reader.types(_blocks(_README)[1])
    assert "SELECT" in reader.types('tree.export("sql")')


def _made_before(given: Names) -> Names:
    """Return what the sentences speak of without saying how it was made."""
    client, model, dataset, rows = given["client"], given["model"], given["dataset"], given["X"]
    prototypes = client.prototype_sets.create(model, dataset).wait()
    storing = client.explainers.create(model, prototypes, store_explanations=True)
    explained: Explanations = storing.explain(rows[:18])
    named = client.explainer_names.put("credit-risk", storing, force=True)
    report = client.reports.create("Review", storing, rows=["17"]).wait()
    stored = next(iter(client.explanations.list(explainer=storing, row_id="9")))
    return {
        "prototype_set": prototypes,
        "explainer": storing,
        "explanations": explained,
        "explanation": explained[0],
        "applicant": given["X_new"][:1],
        "last_month": given["older"],
        "recent": dataset,
        "audit": client.label_audits.create(model, dataset).wait(),
        "named": named,
        "report": report,
        "id": stored.id,
    }
