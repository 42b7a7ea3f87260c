"""What the driver is started with: on its stdin, in the notation of Java's properties, and as flags."""

from __future__ import annotations

import pytest

from sqe.engine.process import _heap, _property


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("local2", "local2"),
        ("spark.sql.ansi", r"spark\u002esql\u002eansi"),
        ("a=b #c\\", r"a\u003db\u0020\u0023c\u005c"),
        ("two\nlines\r", r"two\u000alines\u000d"),
        ("Ü ²", r"\u00dc\u0020\u00b2"),
        ("😀", r"\ud83d\ude00"),
        ("", ""),
    ],
)
def test_no_character_of_a_value_means_anything(text: str, written: str) -> None:
    assert _property(text) == written


@pytest.mark.parametrize("memory", ["128m", "256m", "2g", "8g", "2147483648"])
def test_a_heap_begins_small_and_within_its_limit(memory: str) -> None:
    flags = dict(flag.split("=") for flag in _heap(memory) if "=" in flag)
    young, initial = int(flags["-XX:NewSize"]), int(flags["-XX:InitialHeapSize"])
    most = int(memory) if memory.isdigit() else int(memory[:-1]) << {"m": 20, "g": 30}[memory[-1]]
    assert young <= 128 << 20
    assert young < initial <= min(224 << 20, most)


def test_a_large_heap_gets_the_collector_for_it() -> None:
    assert _heap("16g") == ["-Xmx16g", "-XX:+UseG1GC"]
