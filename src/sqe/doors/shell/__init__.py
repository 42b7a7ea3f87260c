"""The door of the thin `sqe` client: a unix socket on which rendered text leaves instead of Arrow, so that the client needs no
pyarrow (0.16 CPU-seconds to import). Served by the embedded daemon only. wire.py is the protocol, door.py the listener."""
