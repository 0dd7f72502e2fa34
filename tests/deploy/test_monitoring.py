"""Alert rules and the dashboard in ``deploy/monitoring``: Prometheus' own checker reads them, and metrics are ours."""

import json
import re
import shutil
import subprocess
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.support.api import Api

_FOLDER = Path("deploy/monitoring")
_PANEL_TYPES = {"row", "stat", "timeseries"}
_GRAFANA_VARIABLES = {"$job": "leafspace", "$__rate_interval": "5m"}
_OURS = re.compile(r"\b(?:leafspace|process)_\w+")
_RULES = yaml.safe_load((_FOLDER / "alerts.yml").read_text())["groups"][0]["rules"]
_DASHBOARD: dict[str, Any] = json.loads((_FOLDER / "dashboard.json").read_text())
_PANELS: list[dict[str, Any]] = _DASHBOARD["panels"]


def _expressions() -> list[str]:
    """Return all that the dashboard asks Prometheus, with values in place of its variables."""
    expressions = [target["expr"] for panel in _PANELS for target in panel.get("targets", ())]
    for variable, value in _GRAFANA_VARIABLES.items():
        expressions = [each.replace(variable, value) for each in expressions]
    return expressions


def _promtool(*arguments: str | Path) -> str:
    """Return what Prometheus' checker prints; fail where it finds a fault."""
    program = shutil.which("promtool")
    if program is None:
        pytest.skip("promtool is not installed, which checks rules: Debian has it in the package prometheus")
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)  # its own path
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_prometheus_reads_the_rules_and_its_configuration(tmp_path: Path) -> None:
    for name in ("alerts.yml", "prometheus.yml"):
        shutil.copy(_FOLDER / name, tmp_path)
    (tmp_path / "leafspace-key").write_text("lsk_x")

    assert f"SUCCESS: {len(_RULES)} rules found" in _promtool("check", "rules", tmp_path / "alerts.yml")
    assert "is valid prometheus config file syntax" in _promtool("check", "config", tmp_path / "prometheus.yml")


def test_each_rule_fires_where_it_should_and_only_there() -> None:
    assert "SUCCESS" in _promtool("test", "rules", _FOLDER / "alerts_test.yml")


def test_prometheus_reads_every_expression_of_the_dashboard(tmp_path: Path) -> None:
    rules = [{"record": f"panel:{index}", "expr": each} for index, each in enumerate(_expressions())]
    assert len(rules) > len(_PANELS) / 2
    path = tmp_path / "rules.yml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))

    assert f"SUCCESS: {len(rules)} rules found" in _promtool("check", "rules", path)


def test_rules_and_dashboard_name_only_metrics_that_the_service_exposes(api: Api) -> None:
    families = list(text_string_to_metric_families(api.get("/metrics").text))
    exposed = {sample.name for family in families for sample in family.samples}
    # Those of histograms and counters without labels so far have no samples yet.
    exposed |= {f"{family.name}{end}" for family in families for end in _SAMPLES_OF.get(family.type, ("",))}
    variables = [str(each.get("query")) for each in _DASHBOARD["templating"]["list"]]

    named = set(_OURS.findall(" ".join([*_expressions(), *(rule["expr"] for rule in _RULES), *variables])))

    assert len(named) > 20
    assert named - exposed == set()


_SAMPLES_OF = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum"), "info": ("_info",)}


def test_every_rule_has_a_runbook_in_the_docs() -> None:
    text = Path("docs/operations.md").read_text(encoding="utf-8")
    anchors = {title.lower().replace(" ", "-") for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}
    for rule in _RULES:
        sentence, anchor = re.fullmatch(
            r"(.+\.) See docs/operations\.md#([\w-]+)", rule["annotations"]["runbook"]
        ).groups()  # type: ignore[union-attr]
        assert anchor in anchors, rule["alert"]
        assert sentence[0].isupper()
        assert rule["annotations"]["summary"].endswith(".")
        assert rule["labels"]["severity"] in {"page", "ticket"}
        assert f"`{rule['alert']}`" in text


def test_the_dashboard_is_what_grafana_imports() -> None:
    assert {"uid", "title", "schemaVersion", "templating", "time", "panels"} <= _DASHBOARD.keys()
    assert "id" not in _DASHBOARD  # Grafana gives its own
    assert len({panel["id"] for panel in _PANELS}) == len(_PANELS)
    assert {panel["type"] for panel in _PANELS} == _PANEL_TYPES
    for panel in _PANELS:
        assert panel["title"]
        place = panel["gridPos"]
        assert 0 <= place["x"] < place["x"] + place["w"] <= 24
        if panel["type"] != "row":
            assert panel["description"].endswith(".")
            assert panel["datasource"]["uid"] == "${datasource}"
            assert [target["refId"] for target in panel["targets"]] == list("ABCDEF"[: len(panel["targets"])])
    for one, other in combinations([panel["gridPos"] for panel in _PANELS], 2):
        is_beside = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
        assert is_beside or one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]
