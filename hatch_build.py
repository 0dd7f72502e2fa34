"""Metadata of the distribution: the README with absolute links, because the package index has no other files."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"\]\((?!https?:|#)")
_REPOSITORY = "https://github.com/leafspace/leafspace/blob/main/"
_IMAGE = re.compile(r"(!\[[^\]]*\]\()(?!https?:)")
_RAW_FILES = "https://raw.githubusercontent.com/leafspace/leafspace/main/"


class ReadmeWithLinks(MetadataHookInterface):
    """Sets ``readme``."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the README to the metadata of the project."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        text = _LINK.sub(f"]({_REPOSITORY}", _IMAGE.sub(rf"\g<1>{_RAW_FILES}", text))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
