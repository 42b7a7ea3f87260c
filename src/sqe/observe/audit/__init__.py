"""The audit log: one sealed JSON line for everything that people do (docs/audit.md).

`entries` says what a line holds, `redaction` what it must not, `chain` seals it, `files` writes it, `writer` is the thread and
the gate that statements pass; `verify` reads it all back. The server owns an `AuditLog`; nobody else writes to it.
"""
