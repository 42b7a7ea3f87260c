__version__ = "0.1.0"

# What clients of Trino are told: they turn features on and off by the number that it begins with.
TRINO_VERSION = f"476-sqe-{__version__}"
