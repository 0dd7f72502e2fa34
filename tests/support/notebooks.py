"""Notebooks, run by a real Jupyter kernel, and written as HTML as code hosts and nbconvert do."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from nbformat import NotebookNode

_REQUIRED = "LEAFSPACE_REQUIRE_NOTEBOOKS"
_SECONDS_A_CELL = 600


def executed(path: Path) -> "NotebookNode":
    """Return the notebook with what its cells showed; where Jupyter is not installed, the test skips and says so."""
    try:
        import nbformat  # where it is installed
        from jupyter_client.kernelspec import KernelSpec
        from jupyter_client.manager import AsyncKernelManager
        from nbclient import NotebookClient
    except ModuleNotFoundError:
        _leave("nbclient is not installed: make notebooks")
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    # The kernel is this interpreter's, whatever kernels the user has installed.
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    manager = AsyncKernelManager()
    manager._kernel_spec = KernelSpec(argv=command, display_name="tests", language="python")
    client = NotebookClient(
        notebook, km=manager, timeout=_SECONDS_A_CELL, resources={"metadata": {"path": path.parent}}
    )
    return client.execute()


def as_html(notebook: "NotebookNode") -> str:
    """Return the notebook as nbconvert writes it, for a page that has a head of its own."""
    from nbconvert import HTMLExporter  # see above

    exporter = HTMLExporter(template_name="basic")  # type: ignore[no-untyped-call]
    html: str = exporter.from_notebook_node(notebook)[0]
    return html


def shown_in(notebook: "NotebookNode") -> list[str]:
    """Return the HTML that cells showed, in their order."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return [output["data"]["text/html"] for output in outputs if "text/html" in output.get("data", {})]


def printed_in(notebook: "NotebookNode") -> str:
    """Return what cells printed and the texts of their values."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    texts = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs]
    return "\n".join(texts)


def _leave(reason: str) -> None:
    if os.environ.get(_REQUIRED):
        pytest.fail(f"{_REQUIRED} is set, and {reason}")
    pytest.skip(reason)
