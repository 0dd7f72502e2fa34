"""Hostile, broken and careless input over HTTP: refused with what to mend, nothing stored, and the process lives on."""

import json
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from tests.support.api import Api, Json, Registered, csv_of, frame_of, register
from tests.support.bad_inputs import BadInputSender, expected_answers, is_expected
from tests.support.patience import PATIENCE_SECONDS, when_idle
from tests.support.raw_http import exchange
from tests.support.serving import Service, serving
from tests.support.shared import shared_path

_BODY_SECONDS = 2
_MOST_SECONDS = 10
_MOST_GROWTH_BYTES = 200 * 1024**2
_EXPECTED = expected_answers()


def _hostile_files() -> Iterator[object]:
    """Yield the names of all files; those whose answer another one has already are `long`."""
    seen = set()
    for name, wanted in sorted(_EXPECTED.items()):
        answer = (wanted["endpoint"], wanted["status"], wanted["code"])
        yield pytest.param(name, marks=pytest.mark.long) if answer in seen else name
        seen.add(answer)
    if not _EXPECTED:
        yield pytest.param("", marks=pytest.mark.skip("no hostile files"))


@dataclass(frozen=True)
class Tried:
    """A service of this file's own, with what is known of it before anything bad is sent."""

    service: Service
    api: Api
    forest: Registered
    pids: dict[str, int]
    memory_bytes: int
    directory: Path  # around the data directory, to see what appears beside it

    def explainer_path(self) -> str:
        return f"/v1/explainers/{self.forest.explainer['id']}/explanations"

    def rows(self) -> dict[str, list[tuple[object, ...]]]:
        """Return all that the database holds, table by table."""
        with closing(sqlite3.connect(f"file:{self.service.data_dir / 'leafspace.db'}?mode=ro", uri=True)) as database:
            names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return {name: database.execute(f"SELECT * FROM {name}").fetchall() for name in names}  # noqa: S608  # its own

    def files(self) -> set[Path]:
        """Return what is stored and what lies beside the data directory."""
        objects = (self.service.data_dir / "objects").rglob("*")
        return {*objects, *self.directory.iterdir(), *(self.directory / "tmp").rglob("*")}


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tried]:
    directory = tmp_path_factory.mktemp("tried")
    (directory / "tmp").mkdir()
    environment = {"LEAFSPACE_BODY_SECONDS": str(_BODY_SECONDS), "TMPDIR": str(directory / "tmp")}
    with serving(directory / "data", **environment) as service:
        api = Api(service.url)
        forest = register(api, "random_forest_binary")
        api.upload("/v1/models", b"")
        api.explain(forest.explainer["id"], [forest.instance(0)] * 1000)
        pids = service.children()
        yield Tried(service, api, forest, pids, _memory_bytes(pids["api"]), directory)
        api.http.close()


def _memory_bytes(pid: int) -> int:
    (line,) = re.findall(r"^VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return int(line) * 1024


def _send(tried: Tried, name: str, data: bytes) -> list[tuple[int, Json]]:
    """Send a file to where it is meant for; return the answers."""
    sender = BadInputSender(tried.api, tried.service.port, tried.forest.model["id"], tried.forest.explainer["id"])
    return sender.send(name, data, _EXPECTED[name]["endpoint"])


@pytest.mark.parametrize("name", _hostile_files())
def test_each_hostile_file_is_answered_as_it_should_be_and_leaves_nothing_behind(tried: Tried, name: str) -> None:
    expected = _EXPECTED[name]
    rows, files = tried.rows(), tried.files()
    data = shared_path(f"badinputs/{name}").read_bytes()

    began = time.monotonic()
    answers = _send(tried, name, data)
    seconds = time.monotonic() - began

    assert seconds < when_idle(_MOST_SECONDS)
    for status, body in answers:
        assert is_expected(name, (status, body), expected), (status, body)
        if status >= 400:
            _assert_hides_the_inside(tried, body)
    assert tried.service.children() == tried.pids
    assert _memory_bytes(tried.pids["api"]) - tried.memory_bytes < _MOST_GROWTH_BYTES
    if all(status >= 400 for status, _ in answers):
        assert tried.rows() == rows
        assert tried.files() == files


def _assert_hides_the_inside(tried: Tried, problem: Json) -> None:
    text = json.dumps(problem, ensure_ascii=False)
    for inside in (str(tried.directory), "Traceback", ".py", "site-packages", "sqlite", "/proc", "File \\"):
        assert inside not in text
    assert not re.search(r"[\x00-\x1f\x7f\u202a-\u202e\u2066-\u2069]", problem["detail"])
    assert len(problem["detail"]) < 1000


def test_after_all_of_it_everything_works_and_the_log_has_one_sane_line_for_each_event(tried: Tried) -> None:
    for name in (
        "35_metadata_log_injection.onnx",
        "69_csv_formula_injection.csv",
        "98_json_lone_surrogate_and_nul.json",
    ):
        _send(tried, name, shared_path(f"badinputs/{name}").read_bytes())

    tried.api.explain(tried.forest.explainer["id"], [tried.forest.instance(0)])
    made = tried.api.make(model=tried.forest.model["id"], dataset=tried.forest.dataset["id"], n_prototypes=3)

    assert made["status"] == "ready"
    assert tried.service.children() == tried.pids
    log = tried.service.log.read_text(encoding="utf-8")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", log)
    for line in log.splitlines():
        assert {"level", "logger"} <= set(json.loads(line)), line
    assert "Traceback" not in log


def test_strangers_strings_come_back_harmless(tried: Tried) -> None:
    data = shared_path("badinputs/35_metadata_log_injection.onnx").read_bytes()
    answer = tried.api.upload("/v1/models", data)

    assert answer.status_code in {200, 201}
    assert not re.search(r"[\x00-\x1f\x7f\u202a-\u202e\u2066-\u2069]", answer.text)


def _refused(tried: Tried, path: str, data: bytes, metadata: dict[str, object] | None = None) -> Json:
    rows, files = tried.rows(), tried.files()
    answer = tried.api.upload(path, data, metadata)
    assert 400 <= answer.status_code < 500, answer.text
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert (tried.rows(), tried.files()) == (rows, files)
    problem: Json = answer.json()
    return problem


@pytest.mark.parametrize(
    "data",
    [
        b"\x80\x02csklearn.ensemble\nRandomForestClassifier\nq\x00)\x81q\x01.",
        b"\x80\x03cos\nsystem\nq\x00X\x04\x00\x00\x00trueq\x01\x85q\x02Rq\x03.",
        b"\x80\x04\x95\x12\x00\x00\x00\x00\x00\x00\x00\x8c\x02os\x94\x8c\x06system\x94\x93\x94.",
        b"\x80\x05\x95\x02\x00\x00\x00\x00\x00\x00\x00].",
        b"cos\nsystem\n(S'true'\ntR.",
    ],
)
def test_a_pickle_is_refused_and_never_opened(tried: Tried, data: bytes) -> None:
    problem = _refused(tried, "/v1/models", data)

    assert problem["code"] == "model_not_onnx"
    assert problem["status"] == 415
    assert "ONNX" in problem["detail"]


@pytest.mark.long
def test_a_truncated_model_is_refused_wherever_it_is_cut(tried: Tried) -> None:
    whole = tried.forest.fitted.onnx
    for share in (0.01, 0.3, 0.5, 0.9, 0.999):
        problem = _refused(tried, "/v1/models", whole[: int(len(whole) * share)])
        assert problem["code"].startswith("model_")


def test_a_model_without_trees_is_refused_by_name(tried: Tried) -> None:
    features = helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 3])
    value = helper.make_tensor_value_info("y", TensorProto.FLOAT, [None, 1])
    linear = helper.make_node(
        "LinearRegressor", ["x"], ["y"], domain="ai.onnx.ml", coefficients=[1.0, 2.0, 3.0], intercepts=[0.5]
    )
    graph = helper.make_graph([linear], "linear", [features], [value])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    onnx.checker.check_model(model)

    problem = _refused(tried, "/v1/models", model.SerializeToString())

    assert problem["code"] in {"model_not_a_tree_ensemble", "model_op_not_allowed"}
    assert "tree" in problem["detail"].lower() or "LinearRegressor" in problem["detail"]


def test_a_cyclic_tree_and_a_child_out_of_range_are_refused_saying_so(tried: Tried) -> None:
    for field, value, message in (("nodes_truenodeids", 0, "cycle"), ("nodes_falsenodeids", 10**6, "1000000")):
        model = onnx.load_from_string(tried.forest.fitted.onnx)
        (trees,) = (node for node in model.graph.node if node.op_type == "TreeEnsembleClassifier")
        (attribute,) = (each for each in trees.attribute if each.name == field)
        inner = next(place for place, child in enumerate(attribute.ints) if child > 0)
        attribute.ints[inner] = value

        problem = _refused(tried, "/v1/models", model.SerializeToString())

        assert problem["code"] == "model_invalid_tree"
        assert message in problem["detail"]


@pytest.mark.parametrize(
    ("data", "status", "code"),
    [
        (b"", 422, "dataset_empty"),
        pytest.param(b"\n\n", 422, "dataset_", marks=pytest.mark.long),
        pytest.param(b"a,b\n", 422, "dataset_empty", marks=pytest.mark.long),
        pytest.param(b"[]", 422, "dataset_empty", marks=pytest.mark.long),
        pytest.param(b"{}", 422, "dataset_", marks=pytest.mark.long),
        (b'[{"a": 1}, {"a": {"b": 1}}]', 422, "dataset_"),
        (b'[{"a": 1e999}]', 422, "dataset_bad_number"),
        pytest.param(b"\x1f\x8b\x08\x00aaaa", 415, "unsupported_media_type", marks=pytest.mark.long),
        (b"\x80\x04\x95aaaa.", 415, "unsupported_media_type"),
        (b"\xff\xfea\x00,\x00b\x00", 422, "dataset_bad_encoding"),
    ],
)
def test_what_is_no_table_is_refused(tried: Tried, data: bytes, status: int, code: str) -> None:
    problem = _refused(tried, "/v1/datasets", data)

    assert problem["status"] == status
    assert problem["code"].startswith(code)


def test_a_dataset_that_lacks_a_feature_is_refused_naming_it_and_no_job_is_begun(tried: Tried) -> None:
    without = csv_of(frame_of(tried.forest.fitted).drop(columns=["f5", "f6"]))
    dataset = tried.api.upload("/v1/datasets", without).json()["id"]
    before = tried.rows()

    refused = tried.api.post("/v1/prototype-sets", {"model": tried.forest.model["id"], "dataset": dataset})

    assert (refused.status_code, refused.json()["code"]) == (422, "schema_mismatch")
    assert "lacks 'f5', 'f6'" in refused.json()["detail"]
    assert tried.rows() == before


def test_more_prototypes_than_rows_are_refused_saying_how_many_there_can_be(tried: Tried) -> None:
    request = {"model": tried.forest.model["id"], "dataset": tried.forest.dataset["id"], "n_prototypes": 570}

    refused = tried.api.post("/v1/prototype-sets", request)

    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/n_prototypes")
    assert "at most 569" in refused.json()["detail"]


@pytest.mark.parametrize("n_rows", [1, 5])
def test_rows_of_one_class_end_in_a_problem_that_says_what_to_send(tried: Tried, n_rows: int) -> None:
    frame = frame_of(tried.forest.fitted)
    rows = csv_of(frame[frame["t"] == 1].head(n_rows))
    dataset = tried.api.upload("/v1/datasets", rows, {"target": "t"}).json()["id"]
    request = {"model": tried.forest.model["id"], "dataset": dataset, "n_prototypes": 1}

    made = tried.api.make(**request)
    by_target = tried.api.post("/v1/prototype-sets", {**request, "labels": "target"})

    assert (made["status"], made["problem"]["code"]) == ("failed", "schema_mismatch")
    assert "at least two classes" in made["problem"]["detail"]
    assert (by_target.status_code, by_target.json()["code"]) == (422, "schema_mismatch")
    assert "at least two classes" in by_target.json()["detail"]


def test_a_body_that_is_too_large_is_refused_before_it_is_there(tried: Tried) -> None:
    head = b"POST /v1/explainers HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{"

    answer = exchange(tried.service.port, head % (9 * 1024**2))

    assert (answer.status, json.loads(answer.body)["code"]) == (413, "body_too_large")
    assert "8,388,608" in json.loads(answer.body)["detail"]


def test_a_json_body_that_trickles_is_cut_off(tried: Tried) -> None:
    head = b"POST %b HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
    for path in ("/v1/prototype-sets", tried.explainer_path()):
        began = time.monotonic()
        answer = exchange(tried.service.port, head % path.encode())
        assert (answer.status, json.loads(answer.body)["code"]) == (408, "body_timeout")
        assert _BODY_SECONDS - 0.5 < time.monotonic() - began < when_idle(_BODY_SECONDS + 3)


def test_uploads_that_are_broken_off_leave_nothing_behind(tried: Tried) -> None:
    files = tried.files()

    def half() -> Iterator[bytes]:
        yield b'--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n' + b"1,2\n" * 500_000
        raise ConnectionAbortedError

    headers = {"Content-Type": "multipart/form-data; boundary=b", "Content-Length": "9000000"}
    with pytest.raises(ConnectionAbortedError):
        httpx.post(f"{tried.service.url}/v1/datasets", content=half(), headers=headers)
    until = time.monotonic() + PATIENCE_SECONDS
    while tried.files() != files and time.monotonic() < until:
        time.sleep(0.05)

    assert tried.files() == files
    assert tried.service.children() == tried.pids


def test_many_odd_instances_at_once_do_not_disturb_the_others(tried: Tried) -> None:
    good = tried.forest.instance(0)
    rng = np.random.default_rng(0)
    odd: list[object] = [None, "x", [], {}, True, 1e300, -(10**18), "é" * 100, [[[]]], {"a": {"b": []}}]
    names = [*good]
    instances = [{**good, names[int(rng.integers(len(names)))]: odd[int(rng.integers(len(odd)))]} for _ in range(500)]

    data = tried.api.explain(tried.forest.explainer["id"], [good, *instances, good])["data"]

    assert len(data) == 502
    assert {**data[0], "row_id": ""} == {**data[-1], "row_id": ""}
    assert {row["status"] for row in data} == {"ok", "error"}
