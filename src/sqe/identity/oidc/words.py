"""Text and addresses of an identity provider that a person gets to see or a program follows."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from sqe.errors import INVALID_ARGUMENTS, SqeError


def shown(text: object, longest: int = 400) -> str:
    """For a terminal: without control characters, which could rewrite what stands there, and without end."""
    return "".join(character for character in str(text)[:longest] if character.isprintable())


def secure_url(url: object, what: str) -> str:
    """The URL, when nobody in between can read or change what goes there: https, or this machine itself."""
    if isinstance(url, str) and url.isprintable() and " " not in url:
        try:
            parts = urlsplit(url)
            safe = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or ""))
            if safe and parts.hostname and "@" not in parts.netloc and parts.port != 0:
                return url
        except ValueError:
            pass
    raise SqeError(INVALID_ARGUMENTS, f"{what} must be an https URL (http on this machine only), not {shown(url, 200)!r}")


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
