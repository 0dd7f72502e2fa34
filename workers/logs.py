"""Logs: one JSON object a line on standard error, so that no message can pretend to be two."""

import json
import logging
from datetime import UTC, datetime


class JsonLines(logging.Formatter):
    """Writes a record as one line of JSON; control characters are escaped by that."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "process": record.process,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line)


def log_json_lines(level: str) -> None:
    """Have the whole process log this way, from ``level`` upwards."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # It tells at each start that there is nothing to migrate.
    logging.getLogger("alembic").setLevel(logging.WARNING)
