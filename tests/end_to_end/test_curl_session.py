import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.scripted_server import Answer, scripted
from tests.support.serving import Service

_PROJECT = Path(__file__).parents[2]
_SESSION = re.compile(r"<!-- session: .*? -->\n```bash\n(.*?)```", re.DOTALL)


@pytest.mark.timeout(1200)  # six jobs, on a machine that may be busy
@pytest.mark.long
def test_the_curl_session_explains_rows_and_finds_nearest_ones(service: Service, tmp_path: Path) -> None:
    ended = _run_session(service.url, tmp_path)

    assert ended.returncode == 0, ended.stderr
    answers = map(json.loads, ended.stdout.replace("}{", "}\n{").splitlines())
    chosen, explanations, by_ids, *later = answers
    assert [job["status"] for job in (chosen, *later)] == ["succeeded"] * 6
    (explanation,) = explanations["data"]
    assert len(explanation["nearest_prototypes"]) == 2
    assert [(each["row_id"], each["status"]) for each in by_ids["data"]] == [("0", "ok"), ("7", "ok")]
    _check_files(tmp_path / "example")


@pytest.mark.long
@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_the_curl_session_waits_for_its_jobs_and_ends_with_what_one_of_them_says(status: str, tmp_path: Path) -> None:
    registered = [
        Answer(201, {"id": "mdl_1"}),
        Answer(201, {"id": "ds_1"}),
        Answer(202, {"id": "prs_1", "job": "job_1"}),
    ]
    going_on = [Answer(200, {"status": status}) for status in ("queued", "running")]
    over = Answer(200, {"status": status, "problem": {"code": "deadline_exceeded", "detail": "took too long"}})
    with scripted(*registered, *going_on, over) as server:
        ended = _run_session(server.url, tmp_path)

    assert ended.returncode != 0
    assert ended.stdout == ""
    assert f'no prototypes: {{"status": "{status}"' in ended.stderr
    assert "took too long" in ended.stderr
    paths = [request.path for request in server.requests]
    assert paths == ["/v1/models", "/v1/datasets", "/v1/prototype-sets", *["/v1/jobs/job_1"] * 3]
    assert {request.headers["Prefer"] for request in server.requests[3:]} == {"wait=60"}


@pytest.mark.long
def test_the_curl_session_ends_when_nobody_answers_for_a_job(tmp_path: Path) -> None:
    registered = [
        Answer(201, {"id": "mdl_1"}),
        Answer(201, {"id": "ds_1"}),
        Answer(202, {"id": "prs_1", "job": "job_1"}),
    ]
    with scripted(*registered, Answer(503, {"code": "unavailable"})) as server:
        ended = _run_session(server.url, tmp_path)

    assert ended.returncode != 0
    assert len(server.requests) == 4


def _run_session(url: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    (found,) = _SESSION.findall((_PROJECT / "docs" / "http.md").read_text())
    session = found.replace("localhost:8000", url.removeprefix("http://"))
    session = session.replace(".venv/bin/python", f"'{sys.executable}'")
    session = session.replace("examples/", f"'{_PROJECT / 'examples'}'/")

    # A newcomer's .venv has no pandas: `make setup` installs what the service needs.
    (folder / "pandas.py").write_text("raise ImportError")
    session = f"export PYTHONPATH='{folder}'\n{session}"

    return subprocess.run(  # the document's own words
        ["/bin/bash", "-e", "-c", session], cwd=folder, capture_output=True, text=True, check=False
    )


def _check_files(folder: Path) -> None:
    n_rows = 569
    lines = (folder / "explanations.jsonl").read_text().splitlines()
    assert [json.loads(line)["status"] for line in lines] == ["ok"] * n_rows
    assert json.loads((folder / "rules.json").read_text())["object"] == "rule_set"
    assert (folder / "rules.sql").read_text().startswith("CASE\n")
    assert (folder / "tree.svg").read_text().startswith("<svg")
    assert json.loads((folder / "question.json").read_text())["question"]["type"] == "number"
    with (folder / "neighbors.csv").open() as file:
        neighbors = list(csv.DictReader(file))
    assert {int(line["row"]) for line in neighbors} == set(range(n_rows))
    assert {line["rank"] for line in neighbors} == set("12345")
    with (folder / "audit.csv").open() as file:
        audited = list(csv.DictReader(file))
    assert [int(line["rank"]) for line in audited] == list(range(1, n_rows + 1))
