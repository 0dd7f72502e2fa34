"""Forms that register a model file or rows: each field is one of the metadata, or the file itself."""

from .templating import render


def draw_registration() -> str:
    """Return the forms."""
    return render("registration")
