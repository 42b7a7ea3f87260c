"""Which of Trino's functions are here: for the documentation and its test."""

from __future__ import annotations

import re

from sqe.sql.dialect.trino import translate
from sqe.sql.dialect.trino.calls import FUNCTIONS, MISSING, SPECIAL
from sqe.sql.dialect.trino.signatures import Signature, signatures

_GEOSPATIAL = re.compile(
    r"st_|bing_|geometry_|to_geo|from_geo|spatial_|line_|simplify_|great_circle|convex_hull|to_spherical|to_encoded|from_encoded"
)
_MACHINE_LEARNING = re.compile(r"learn_|classify|regress$|features|evaluate_classifier")
_SKETCH = re.compile(
    r"approx_set|empty_approx_set|merge$|merge_set|make_set|hash_counts|intersection_card|jaccard|qdigest|tdigest"
    r"|value_at_quantile|values_at_quantiles|quantile_at_value|numeric_histogram|approx_most_frequent"
)
_PLUGIN = {"index", "char2hexint", "to_char", "to_date", "to_timestamp"}  # of the Teradata functions
_BUILT_IN = "built in"

# Special forms that SHOW FUNCTIONS does not list.
FORMS = (
    "coalesce",
    "format",
    "grouping",
    "if",
    "json_array",
    "json_exists",
    "json_object",
    "json_query",
    "json_value",
    "nullif",
    "try",
)


def family(name: str) -> str:
    if _GEOSPATIAL.match(name):
        return "geospatial"
    if _MACHINE_LEARNING.match(name):
        return "machine learning"
    if _SKETCH.match(name):
        return "sketches"
    if name in _PLUGIN or all(each.kind == "table" for each in signatures()[name]):
        return "other plugins and table functions"
    return _BUILT_IN


def is_here(name: str) -> bool:
    return name in FUNCTIONS or name in SPECIAL or (name in ("current_date", "normalize") and name not in MISSING)


def page() -> str:
    """docs/trino-functions.md."""
    assert translate  # the table is filled by its imports
    built_in = [name for name in sorted(signatures()) if family(name) == _BUILT_IN]
    here = [name for name in built_in if is_here(name)]
    missing = [name for name in built_in if not is_here(name)]
    lines = [
        "# Trino's functions",
        "",
        "Made by `dev/document.py` from Trino 476's `SHOW FUNCTIONS` and the translator's table ([the dialect](trino-sql.md)).",
        "A function that is not here is refused, whatever Spark has under its name.",
        "",
        f"Built-in functions: {len(built_in)}, here: {len(here)} ({100 * len(here) / len(built_in):.1f} %).",
        "",
        "## Here",
        "",
        "| kind | functions |",
        "|---|---|",
    ]
    for kind in ("scalar", "aggregate", "window"):
        names = [f"`{name}`" for name in here if _first(signatures()[name]).kind == kind]
        lines.append(f"| {kind} | {', '.join(names)} |")
    lines += [f"| forms with a grammar of their own | {', '.join(f'`{name}`' for name in FORMS)} |", "", "## Not here", ""]
    lines += ["| function | why |", "|---|---|"]
    lines += [f"| `{name}` | {MISSING.get(name, 'not written yet')} |" for name in missing]
    lines += ["", "## Families that are not here", "", "| family | functions |", "|---|---|"]
    for each in ("sketches", "geospatial", "machine learning", "other plugins and table functions"):
        lines.append(f"| {each} | {', '.join(f'`{name}`' for name in sorted(signatures()) if family(name) == each)} |")
    return "\n".join(lines) + "\n"


def _first(found: tuple[Signature, ...]) -> Signature:
    return found[0]
