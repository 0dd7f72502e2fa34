"""A whole file: a drawing with its style sheet inside and a policy that allows nothing else."""

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files

from markupsafe import Markup

from .templating import render


@cache
def style_sheet() -> str:
    """Return the style sheet of all drawings without comments and spaces; every rule is nested in ``.leafspace``."""
    text = (files("leafspace_drawings") / "leafspace.css").read_text(encoding="utf-8")
    return re.sub(r"\s*([};,>])\s*|([{:])\s+", r"\1\2", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)).strip() + "\n"


def notebook_output(drawing: str) -> str:
    """Return a drawing for a notebook's output: with its style sheet, and readable where that is taken away.

    Parameters
    ----------
    drawing
        What one of the ``draw_`` functions returned.
    """
    style = Markup(f"<style>{style_sheet()}</style>")  # noqa: S704  # ours
    return str(Markup('<div class="ls-output">{}\n{}</div>').format(style, Markup(drawing)))  # noqa: S704  # ours


def whole_document(title: str, drawing: str) -> str:
    """Return a document that needs nothing else and runs nothing.

    Parameters
    ----------
    title
        Of the window.
    drawing
        What one of the ``draw_`` functions returned.
    """
    style = f"\n{style_sheet()}"
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return render("document", title=title, policy=policy, style=Markup(style), drawing=Markup(drawing))  # noqa: S704  # ours
