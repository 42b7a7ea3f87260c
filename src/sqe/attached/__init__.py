"""Catalogs and secrets that users add by statements: ATTACH, DETACH, CREATE SECRET.

The handler answers these statements by `statements`; sessions ask an `Attachments` which catalogs there are. Secrets are kept
encrypted, and leave this package for the engine only.
"""

from sqe.attached.store import Attachments, Secret

__all__ = ["Attachments", "Secret"]
