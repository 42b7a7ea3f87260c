"""The Trino door: Trino's HTTP protocol for its clients, drivers and tools. Protocol only; `door.py` is what others open."""
