"""Documentation as pages that need no internet: the API at /docs, and each problem code at /problems/<code>."""

from html import escape
from importlib.resources import files

from fastapi import FastAPI, HTTPException, Request
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles

from schemas.problems import PROBLEM_KINDS, ProblemPage

from .contract_document import packed_bytes

_ASSETS_PATH = "/docs/assets"
PATHS = ("/docs", "/docs/assets/{file}", "/problems", "/problems/{code}")
_PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>{title}</title></head>
<body>{body}</body>
</html>
"""


def install(app: FastAPI) -> None:
    """Serve both; the assets of /docs come with the package ``fastapi-offline``."""
    app.mount(_ASSETS_PATH, StaticFiles(directory=str(files("fastapi_offline") / "static")), name="docs-assets")
    app.add_api_route("/openapi.json", _show_contract, include_in_schema=False)
    app.add_api_route("/docs", _show_api, include_in_schema=False)
    app.add_api_route("/problems", _list_problems, include_in_schema=False)
    app.add_api_route("/problems/{code}", _show_problem, include_in_schema=False)


async def _show_contract() -> Response:
    return Response(packed_bytes(), media_type="application/json")


async def _show_api() -> HTMLResponse:
    return get_swagger_ui_html(
        openapi_url="/openapi.json",
        title="Leafspace",
        swagger_js_url=f"{_ASSETS_PATH}/swagger-ui-bundle.js",
        swagger_css_url=f"{_ASSETS_PATH}/swagger-ui.css",
        swagger_favicon_url=f"{_ASSETS_PATH}/favicon.png",
        swagger_ui_parameters={"validatorUrl": None},  # otherwise it calls a server on the internet
    )


async def _list_problems(request: Request) -> Response:
    pages = [ProblemPage.of(code) for code in sorted(PROBLEM_KINDS)]
    if not _wants_html(request):
        return JSONResponse({"object": "list", "data": [page.model_dump() for page in pages], "next_cursor": None})
    items = "".join(f'<li><a href="{page.type}">{page.code}</a> ({page.status}): {page.title}</li>' for page in pages)
    return _html("Problems", f"<h1>Problems</h1><ul>{items}</ul>")


async def _show_problem(code: str, request: Request) -> Response:
    if code not in PROBLEM_KINDS:
        raise HTTPException(404)
    page = ProblemPage.of(code)
    if not _wants_html(request):
        return JSONResponse(page.model_dump())
    return _html(
        page.title,
        f"<h1>{escape(page.title)}</h1><p><code>{page.code}</code>, status {page.status}</p>"
        f"<h2>What it means</h2><p>{escape(page.meaning)}</p><h2>What to do</h2><p>{escape(page.remedy)}</p>"
        '<p><a href="/problems">All problems</a></p>',
    )


def _wants_html(request: Request) -> bool:
    """Return whether a browser sent the request: programs rarely name HTML in ``Accept``."""
    return "text/html" in request.headers.get("accept", "")


def _html(title: str, body: str) -> HTMLResponse:
    return HTMLResponse(_PAGE.format(title=escape(title), body=body), headers={"Vary": "Accept"})
