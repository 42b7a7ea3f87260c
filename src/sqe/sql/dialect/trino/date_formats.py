"""Formats of dates: MySQL's (`%Y-%m-%d`) and Joda's (`yyyy-MM-dd`) in the letters of java.time, which Spark uses."""

from __future__ import annotations

from sqlglot import exp

from sqe.sql.dialect.trino.values import refused

_MYSQL = {
    "a": "EEE",
    "b": "MMM",
    "c": "M",
    "d": "dd",
    "e": "d",
    "f": "SSSSSS",
    "H": "HH",
    "h": "hh",
    "I": "hh",
    "i": "mm",
    "j": "DDD",
    "k": "H",
    "l": "h",
    "M": "MMMM",
    "m": "MM",
    "p": "a",
    "r": "hh:mm:ss a",
    "S": "ss",
    "s": "ss",
    "T": "HH:mm:ss",
    "W": "EEEE",
    "Y": "yyyy",
    "y": "yy",
}


def java_of_mysql(node: exp.Expr, text: str, *, parsing: bool) -> str:
    made, at = [], 0
    while at < len(text):
        if text[at] != "%":
            made.append(_quoted(text[at]))
            at += 1
            continue
        letter = text[at + 1 : at + 2]
        if letter == "%":
            made.append("%")
        elif letter == "f" and parsing:
            made.append("SSS")
        elif letter in _MYSQL:
            made.append(_MYSQL[letter])
        else:
            raise refused(node, f"%{letter} in a date format")
        at += 2
    return "".join(made)


# Letters that mean the same in both, and those that are other ones.
_SAME = set("yMdHhmsSaEDKk")
_OTHER = {"Y": "y", "e": None, "x": None, "w": None, "C": None, "G": "G", "z": None, "Z": None}


def java_of_joda(node: exp.Expr, text: str) -> str:
    made, at = [], 0
    while at < len(text):
        char = text[at]
        if char == "'":
            end = text.find("'", at + 1)
            if end < 0:
                raise refused(node, "This date format")
            made.append(text[at : end + 1])
            at = end + 1
            continue
        if not char.isascii() or not char.isalpha():
            made.append(_quoted(char))
            at += 1
            continue
        count = len(text[at:]) - len(text[at:].lstrip(char))
        letter = char if char in _SAME else _OTHER.get(char)
        if letter is None:
            raise refused(node, f"The letter {char} in a date format")
        if letter == "E":
            count = 4 if count >= 4 else 3
        if letter == "a":
            count = 1
        made.append(letter * count)
        at += count if char not in "Ea" else len(text[at:]) - len(text[at:].lstrip(char))
    return "".join(made)


def _quoted(char: str) -> str:
    if char == "'":
        return "''"
    return f"'{char}'" if char.isalpha() or char in "[]{}#" else char
