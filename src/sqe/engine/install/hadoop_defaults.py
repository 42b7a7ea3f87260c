"""Hadoop's default settings without their descriptions, in Hadoop's short form.

Hadoop parses `core-default.xml`, and later its neighbours, once for each of its Configuration objects. A start makes a dozen of
them, and Java interprets the parser then: a tenth of a start's CPU time went into texts for people and into closing tags. The
class path has ours before the originals. Every name and value stays.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

NAMES = ("core-default.xml", "mapred-default.xml", "yarn-default.xml")

# What Hadoop reads of a property, and what is for people. Anything else would be news: the set-up fails, and somebody looks.
_READ = ("name", "value", "final", "source", "tag")
_FOR_PEOPLE = ("description", "decription")


def short(hadoop: Path) -> Iterator[tuple[str, bytes]]:
    """File names and contents, from Hadoop's own jar (`hadoop-client-api`)."""
    with zipfile.ZipFile(hadoop) as jar:
        for name in NAMES:
            yield name, _short(jar.read(name))


def _short(original: bytes) -> bytes:
    settings = ElementTree.fromstring(original)
    return f"<configuration>{''.join(map(_property, settings))}</configuration>".encode()


def _property(long: ElementTree.Element) -> str:
    unknown = {part.tag for part in long} - {*_READ, *_FOR_PEOPLE}
    if long.tag != "property" or unknown:
        raise ValueError(f"Hadoop's settings have a form that is not known here: {long.tag} {unknown}")
    # Hadoop trims names. It takes an empty value for none in its long form, and for an empty value in the short one. Line ends
    # inside an attribute survive as references only.
    values = {part.tag: part.text for part in long if part.tag in _READ and part.text}
    values["name"] = values["name"].strip()
    return f"<property{''.join(f' {key}={quoteattr(value, _LINE_ENDS)}' for key, value in values.items())}/>"


_LINE_ENDS = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
