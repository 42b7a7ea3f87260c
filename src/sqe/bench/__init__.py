"""`sqe-bench`: our promises as figures that anyone can measure with one command, ours and the peer's in the same run.

One module a benchmark, each with its declaration (`BENCHMARK`); `main` lists them. Modules here use the product as its users
do: real processes and real clients. docs/benchmarks.md tells what each figure means.
"""
