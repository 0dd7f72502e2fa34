"""Raw bytes to a server's socket, and the answer that comes back."""

import socket
import ssl
from typing import NamedTuple

# For clients of services on this machine, which speak plain HTTP: left to itself, each client of httpx reads all
# certificates of the system, which takes longer than a request.
NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
_PATIENCE_SECONDS = 120


class RawAnswer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes


def exchange(port: int, request: bytes) -> RawAnswer:
    """Send raw bytes; return the first answer, whether or not the connection is closed after it."""
    with socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE_SECONDS) as connection:
        connection.sendall(request)
        received = bytearray()
        while not _is_whole(received) and (block := connection.recv(65536)):
            received += block
    return _parsed(bytes(received))


def _is_whole(received: bytearray) -> bool:
    if b"\r\n\r\n" not in received:
        return False
    answer = _parsed(bytes(received))
    return len(answer.body) >= int(answer.headers.get("content-length", "0"))


def _parsed(received: bytes) -> RawAnswer:
    head, _, body = received.partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    return RawAnswer(int(status.split(" ")[1]), headers, body)
