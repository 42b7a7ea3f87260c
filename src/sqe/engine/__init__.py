"""The driver JVM and what is asked of it. Only `sqe.query` and `sqe.session` call this package; it knows no protocol."""
