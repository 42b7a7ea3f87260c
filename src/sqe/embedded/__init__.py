"""The embedded daemon: a private server of one user behind unix sockets. `sqe.cli.daemon` starts it, `daemon_main` runs it."""
