"""The `sqe` command: shell and one-shot client. main.py is the way in, thin.py the warm path to the embedded daemon.

Modules that the warm path loads (main, arguments, oneshot, backend, thin, daemon, splitter, progress) import only a handful of
small standard modules, not even `typing` or `dataclasses`: a test holds them to that, a benchmark to the time.
"""
