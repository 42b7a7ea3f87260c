"""Token buckets: each key has a supply that fills evenly, so that short bursts pass and a steady flood does not."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

Clock = Callable[[], float]

# A full bucket is like none; each call forgets this many of the oldest when they have filled up again.
_FORGOTTEN_AT_ONCE = 2


@dataclass
class _Bucket:
    tokens: float
    at: float


class Buckets:
    """One bucket a key, each of `per_minute` tokens; 0 is no limit. Thread-safe.

    No more than `most_keys` are kept: beyond, the one that was used least recently is forgotten, which is as good as full.
    """

    def __init__(self, per_minute: int, *, most_keys: int = 10_000, clock: Clock = time.monotonic) -> None:
        self._capacity = float(per_minute)
        self._most_keys = most_keys
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[bytes, _Bucket] = OrderedDict()

    def wait(self, key: bytes) -> float:
        """In how many seconds there is a token; 0 when there is one now. Takes none."""
        if not self._capacity:
            return 0.0
        with self._lock:
            bucket = self._filled(key)
            self._forget_full_ones(bucket.at)
            return self._missing(bucket)

    def take(self, key: bytes) -> float:
        """Takes a token and answers 0; where there is none, answers like `wait`."""
        if not self._capacity:
            return 0.0
        with self._lock:
            bucket = self._filled(key)
            self._forget_full_ones(bucket.at)
            missing = self._missing(bucket)
            if not missing:
                bucket.tokens -= 1
            return missing

    def charge(self, key: bytes, tokens: float = 1) -> None:
        """Takes tokens that may not be there: what was found out too late is owed, up to another bucketful."""
        if not self._capacity:
            return
        with self._lock:
            bucket = self._filled(key)
            bucket.tokens = max(-self._capacity, bucket.tokens - tokens)

    def give_back(self, key: bytes) -> None:
        """A token that was taken and not used."""
        if not self._capacity:
            return
        with self._lock:
            bucket = self._filled(key)
            bucket.tokens = min(self._capacity, bucket.tokens + 1)

    def __len__(self) -> int:
        return len(self._buckets)

    def _filled(self, key: bytes) -> _Bucket:
        now = self._clock()
        bucket = self._buckets.get(key)
        if bucket is None:
            while len(self._buckets) >= self._most_keys:
                self._buckets.popitem(last=False)
            bucket = self._buckets[key] = _Bucket(self._capacity, now)
        self._buckets.move_to_end(key)
        bucket.tokens = self._level(bucket, now)
        bucket.at = now
        return bucket

    def _missing(self, bucket: _Bucket) -> float:
        return max(0.0, 1 - bucket.tokens) * 60 / self._capacity

    def _level(self, bucket: _Bucket, now: float) -> float:
        return min(self._capacity, bucket.tokens + max(0.0, now - bucket.at) * self._capacity / 60)

    def _forget_full_ones(self, now: float) -> None:
        for _ in range(_FORGOTTEN_AT_ONCE):
            oldest = next(iter(self._buckets))
            if len(self._buckets) == 1 or self._level(self._buckets[oldest], now) < self._capacity:
                return
            del self._buckets[oldest]
