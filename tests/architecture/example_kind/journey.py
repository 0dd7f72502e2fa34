"""Run in a copy of the project to which the kind was added: request a row count, have it made, read and delete it."""

import json
import sys
from pathlib import Path

from fastapi.testclient import TestClient

from schemas import row_counts
from service.main import create_app
from service.settings import ServiceSettings
from service.web.route_scopes import scope_of
from storage.attempts import AttemptStore
from workers.job_kinds import JOB_KINDS, load_job_kinds
from workers.runtime.lifecycle import run_job
from workers.runtime.settings import WorkerSettings

_NO_REDIS = "redis://127.0.0.1:1/0"


def main(folder: Path) -> None:
    """Go through the life of one row count."""
    assert Path(row_counts.__file__).is_relative_to(Path.cwd()), row_counts.__file__
    data = folder / "data"
    app = create_app(ServiceSettings(data_dir=data, redis_url=_NO_REDIS))
    with TestClient(app) as client:
        upload = {"file": ("model", (folder / "model.onnx").read_bytes())}
        model = client.post("/v1/models", files=upload, data={"metadata": json.dumps({"ensemble": "random_forest"})})
        dataset = client.post("/v1/datasets", files={"file": ("rows", b"a,b\n1,2\n3,4\n5,6\n")})
        request = {"model": model.json()["id"], "dataset": dataset.json()["id"]}

        accepted = client.post("/v1/row-counts", json=request, headers={"Idempotency-Key": "once"})
        assert accepted.status_code == 202, accepted.text
        made = accepted.json()
        assert (made["object"], made["status"], made["result"]) == ("row_count", "pending", None)
        assert made["id"].startswith("rct_")

        context = app.state.context
        claim = AttemptStore(context.database).claim(made["job"], 300)
        assert claim is not None
        settings = WorkerSettings(data_dir=data, redis_url=_NO_REDIS, database_url=context.settings.database_url)
        run_job(settings, load_job_kinds({"row_counts": JOB_KINDS["row_counts"]}), claim)

        path = f"/v1/row-counts/{made['id']}"
        ready = client.get(path).json()
        assert (ready["status"], ready["result"]) == ("ready", {"n_rows": 3}), ready
        assert client.get(f"{path}/content").json() == {"n_rows": 3}
        view = client.get(f"/page/parts/row-counts/{made['id']}")
        assert (view.status_code, "Row count" in view.text, f"{path}" in view.text) == (200, True, True), view.text
        overview = client.get("/page/parts/overview").text
        assert f"#/row-counts/{made['id']}" in overview
        assert '"rct_": "row-counts"' in client.get("/ui/parts.js").text
        assert [each["id"] for each in client.get("/v1/row-counts").json()["data"]] == [made["id"]]
        chosen = {"model": request["model"], "status": "ready"}
        assert [each["id"] for each in client.get("/v1/row-counts", params=chosen).json()["data"]] == [made["id"]]
        assert client.get("/v1/row-counts", params={"status": "failed"}).json()["data"] == []
        again = client.post("/v1/row-counts", json=request, headers={"Idempotency-Key": "once"})
        assert (again.status_code, again.json()["id"]) == (200, made["id"])
        assert client.post("/v1/row-counts", json=request).json()["reused"] is True
        assert client.delete(path).status_code == 204
        assert client.get(path).status_code == 404
    scopes = [scope_of(method, row_counts.ROW_COUNTS.path) for method in ("GET", "POST", "PATCH")]
    assert scopes == ["read", "write", "write"]
    assert "row counts" in {tag["name"] for tag in app.openapi()["tags"]}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
