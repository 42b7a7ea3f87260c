"""Real services for tests, benchmarks and the quick start, without containers: `python -m dev.services up lake`.

One module a service; `stack` starts them in the order of their needs, waits until they serve, and takes them down. Everything
is pinned, fetched once into SQE's cache folder and bound to the loopback address.
"""
