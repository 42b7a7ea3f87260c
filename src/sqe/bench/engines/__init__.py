"""The engines that a suite runs on, one module each: they read the same Iceberg tables and answer in Arrow.

`engine.py` has what an engine is; `registry.py` finds it by the name that `--engines` says. Modules that end in `_process` are
the programs of engines that live in a process of their own.
"""
