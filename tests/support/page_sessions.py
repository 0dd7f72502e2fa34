"""Runs what a page of the manual has readers type, and writes beneath each block what it prints.

Blocks of ``python`` are one program, in the order of the page; blocks of ``bash`` run in the same folder. Output stands
in a block of ``text`` right below. Everything else, such as ``console`` or ``yaml``, is only shown. Ids in outputs are
shortened, because they depend on the last digit of what a library computes.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

_SHOWN_URL = "http://127.0.0.1:8000"
_BLOCK = re.compile(
    r"^```(?P<language>python|bash)\n(?P<code>.*?)^```\n(?P<output>\n```text\n.*?^```\n)?", re.DOTALL | re.MULTILINE
)
_ID = re.compile(r"\b([a-z]{2,4})_[a-z2-7]{26}\b")
_SHA_256 = re.compile(r"\b[0-9a-f]{64}\b")


def with_outputs(page: str, url: str, folder: Path, given: Mapping[str, Any] | None = None) -> str:
    """Return a page with what its blocks print now.

    Parameters
    ----------
    page
        Markdown of the page.
    url
        Address of a service, which blocks call by ``http://127.0.0.1:8000``.
    folder
        Where they run, and what they write stays.
    given
        Names that the page takes as given, such as a client.
    """
    names: dict[str, Any] = {"__name__": "__main__", **(given or {})}
    runs: dict[str, Callable[[str], str]] = {"python": lambda code: _run_python(code, names), "bash": _run_bash}

    def with_output(block: re.Match[str]) -> str:
        printed = runs[block["language"]](block["code"].replace(_SHOWN_URL, url))
        shown = _SHA_256.sub("…", _ID.sub(r"\1_…", printed.replace(url, _SHOWN_URL))).rstrip()
        output = f"\n```text\n{shown}\n```\n" if shown else ""
        return f"```{block['language']}\n{block['code']}```\n{output}"

    with chdir(folder):
        return _BLOCK.sub(with_output, page)


def _run_python(code: str, names: dict[str, Any]) -> str:
    printed = StringIO()
    with redirect_stdout(printed):
        exec(compile(code, "<the page>", "exec"), names)  # noqa: S102  # of our own pages
    return printed.getvalue()


def _run_bash(code: str) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path}
    command = ["/bin/bash", "-euo", "pipefail", "-c", code]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
