"""Lines about keys, for people: whatever a key is called, a line stays a line."""

from datetime import datetime

from schemas.api_keys import ApiKey


def line_of(key: ApiKey) -> str:
    """Return what there is to know of a key but for its secret, in a line."""
    name = "".join(character if character.isprintable() else ascii(character)[1:-1] for character in key.name)
    used = f"last used {_moment(key.last_used_at)}" if key.last_used_at else "never used"
    return f"{key.id}  {','.join(key.scopes)}  made {_moment(key.created_at)}, {used}  {name}"


def _moment(moment: datetime) -> str:
    return moment.isoformat(timespec="minutes")
