"""Where a view stands in the page: the way to it, and the call of the API that answers what it shows."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from .templating import render

SERVICE = "SERVICE"  # takes the place of the service's address in lines to copy; the page puts its own there


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the API, as lines that people can copy."""

    path: str  # such as /v1/models/mdl_1
    python: str  # such as client.models.get("mdl_1")
    method: str = "GET"
    body: Mapping[str, Any] | None = None

    @property
    def curl(self) -> str:
        """The call by curl, the service's address left open."""
        words = ["curl", *([] if self.method == "GET" else ["-X", self.method]), f"{SERVICE}{self.path}"]
        if self.body is not None:
            words += ["--json", json.dumps(self.body, ensure_ascii=False)]
        return " ".join(word if word.startswith(SERVICE) and "?" not in word else shlex.quote(word) for word in words)

    @property
    def script(self) -> str:
        """The call by the SDK, the service's address left open."""
        return f'from leafspace_client import Leafspace\nclient = Leafspace("{SERVICE}")\n{self.python}'


@dataclass(frozen=True, slots=True)
class Place:
    """The way to a view, and its call."""

    way: Sequence[tuple[str, str | None]] = ()  # texts and addresses, from the overview on
    call: Call | None = None


def draw_at(place: Place, drawing: str) -> str:
    """Return a drawing below the way to it and above the call that answers what it shows."""
    return render("place", place=place, drawing=Markup(drawing))  # noqa: S704  # what a ``draw_`` function returned
