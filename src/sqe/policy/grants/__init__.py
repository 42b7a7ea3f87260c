"""Rights given by SQL: GRANT, REVOKE and DENY, kept in a small database (SQLite by default, PostgreSQL by URL)."""
