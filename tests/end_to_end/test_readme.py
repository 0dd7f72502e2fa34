import csv
import json
import re
import subprocess
import sys
from pathlib import Path

from tests.support.serving import Service, service

__all__ = ["service"]

_PROJECT = Path(__file__).parents[2]
_SESSION = re.compile(r"<!-- session: .*? -->\n```bash\n(.*?)```", re.DOTALL)


def test_the_curl_session_of_the_readme_explains_rows_and_finds_nearest_ones(service: Service, tmp_path: Path) -> None:
    (found,) = _SESSION.findall((_PROJECT / "README.md").read_text())
    session = found.replace("localhost:8000", service.url.removeprefix("http://"))
    session = session.replace(".venv/bin/python", f"'{sys.executable}'")
    session = session.replace("examples/", f"'{_PROJECT / 'examples'}'/")

    # A newcomer's .venv has no pandas: `make setup` installs what the service needs.
    (tmp_path / "pandas.py").write_text("raise ImportError")
    session = f"export PYTHONPATH='{tmp_path}'\n{session}"

    ended = subprocess.run(  # noqa: S603  # the README's own words
        ["/bin/bash", "-euo", "pipefail", "-c", session], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert ended.returncode == 0, ended.stderr
    chosen, explanations, *later = (json.loads(line) for line in ended.stdout.replace("}{", "}\n{").splitlines())
    assert [job["status"] for job in (chosen, *later)] == ["succeeded"] * 6
    (explanation,) = explanations["data"]
    assert len(explanation["nearest_prototypes"]) == 2
    _check_files(tmp_path / "example")


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
