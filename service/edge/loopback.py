"""is_loopback: whether only this machine can reach an address."""

import ipaddress


def is_loopback(host: str) -> bool:
    """Say whether other machines cannot reach a service that listens there; of names, only localhost is sure."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
