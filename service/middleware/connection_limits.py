"""ConnectionLimits: what connections may take, from their first byte to the end of a request's headers."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """What one connection, and one address, may take."""

    header_seconds: float = 10  # from the first byte, or the connection, to the end of the headers
    n_header_bytes: int = 64 * 1024
    n_connections_per_address: int = 1024  # behind a proxy, all callers have its address; as many more are told so
    n_waiting: int = 256  # requests whose turn has not come; explaining as many takes some 0.1 s
