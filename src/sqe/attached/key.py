"""The key that secrets are encrypted with: in the keyring of the operating system, else in a file for its owner alone."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from sqe.errors import CONFIGURATION_INVALID, SqeError

_SERVICE = "sqe"
_ENTRY = "secrets"


def secrets_key(file: Path) -> bytes:
    """The same at every call; made at the first one."""
    return _from_keyring() or _from_file(file)


def _from_keyring() -> bytes | None:
    """None where there is none: a server, a container, a machine without the package `keyring`."""
    if os.environ.get("SQE_KEYRING") == "off":
        return None
    try:
        import keyring  # type: ignore[import-not-found]  # the user's own choice, no dependency of ours
    except ImportError:
        return None
    from cryptography.fernet import Fernet

    with suppress(Exception):  # its backends fail in their own ways; the file is then the place
        found = keyring.get_password(_SERVICE, _ENTRY)
        if found is None:
            keyring.set_password(_SERVICE, _ENTRY, Fernet.generate_key().decode())
            found = keyring.get_password(_SERVICE, _ENTRY)
        return found.encode() if found else None
    return None


def _from_file(file: Path) -> bytes:
    from cryptography.fernet import Fernet

    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            made = file.with_name(f".{file.name}.{os.getpid()}")
            with open(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as out:
                out.write(Fernet.generate_key())
            try:
                os.link(made, file)  # whole or not at all; who comes second takes the first one's
            finally:
                made.unlink()
        with open(os.open(file, os.O_RDONLY | os.O_NOFOLLOW), "rb") as content:
            facts = os.fstat(content.fileno())
            if facts.st_uid != os.getuid() or stat.S_IMODE(facts.st_mode) & 0o077:
                raise SqeError(
                    CONFIGURATION_INVALID, f"The key file {file} can be read by others than its owner", hint="chmod 600"
                )
            return content.read()
    except OSError as refused:
        raise SqeError(CONFIGURATION_INVALID, f"The key file {file} cannot be used: {refused.strerror}") from None
