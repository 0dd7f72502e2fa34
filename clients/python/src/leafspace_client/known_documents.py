"""Known documents: what a client has met, so that pictures need no request."""

from typing import Any

_MOST_REMEMBERED, _MOST_NAMED = 64, 1000


class KnownDocuments:
    """Models, datasets and artefacts that a client has met, by id and by SHA-256: the last ones, and their names."""

    def __init__(self) -> None:
        self._records: dict[str, Any] = {}
        self._names: dict[str, str] = {}

    def remember(self, record: Any) -> None:  # an answer of any noun
        """Keep an answer for pictures; summaries of lists, which lack what pictures need, are passed over."""
        thing_id, name = getattr(record, "id", None), getattr(record, "name", None)
        if thing_id and name:  # a name of an explainer has no id
            self._names.pop(thing_id, None)  # the last ones at the end
            self._names[thing_id] = name
            for other in list(self._names)[:-_MOST_NAMED]:
                self._names.pop(other, None)
        if type(record).__name__.endswith("Summary"):
            return
        names: tuple[str | None, str | None] = getattr(record, "id", None), getattr(record, "sha256", None)
        for name in filter(None, dict.fromkeys(names)):
            self._records.pop(name, None)
            self._records[name] = record
        for name in list(self._records)[:-_MOST_REMEMBERED]:
            self._records.pop(name, None)

    def record(self, name: str | None) -> Any:  # an answer of any noun
        """Return the service's latest answer about an object as it came; None where there was none."""
        return self._records.get(name or "")

    def name(self, thing_id: str | None) -> str | None:
        """Return what something that was met, be it in a list, is called; None where it has no name."""
        return self._names.get(thing_id or "")

    def document(self, name: str | None) -> dict[str, Any] | None:
        """Return the service's latest answer about an object, if there was one."""
        record = self.record(name)
        document: dict[str, Any] | None = None if record is None else record.to_dict()
        return document
