"""How several grants together treat the columns of a table."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.policy.combination import either
from sqe.policy.expressions import has_subquery
from sqe.policy.facts import Column
from sqe.policy.grants.model import ColumnTag, Grant, Tag, Terms
from sqe.policy.masks import NULL, strength, stronger
from sqe.sql.tokens import identifier

CLEAR = None
HIDDEN = ""
Treatment = str | None  # CLEAR, HIDDEN or a mask


class Treatments:
    """What the grants that let somebody read make of each column. Without `columns` only names in the grants are known."""

    def __init__(
        self, grants: Sequence[Grant], denials: Sequence[Grant], columns: Sequence[Column] | None, tags: Sequence[ColumnTag]
    ) -> None:
        self._grants = grants
        self._denials = [each.terms for each in denials if each.terms.columns is not None]
        self._tags = tags
        self._tagged_table = bool(tags)
        self._columns = columns if columns is not None else self._named()

    def of_all(self) -> tuple[dict[str, str], set[str]]:
        """Masks by column, and the hidden columns."""
        masks: dict[str, str] = {}
        hidden: set[str] = set()
        for column in self._columns:
            treatment = self._together(column)
            if treatment == HIDDEN:
                hidden.add(column.name)
            elif treatment is not CLEAR:
                masks[column.name] = treatment
        return masks, hidden

    def _named(self) -> list[Column]:
        terms = [each.terms for each in self._grants] + self._denials
        names = {name.lower(): name for each in terms for name in (*each.masks, *each.hidden, *(each.columns or ()))}
        return [Column(0, name, "") for name in names.values()]

    def _together(self, column: Column) -> Treatment:
        if any(_names(each, each.columns or (), column) for each in self._denials):
            return HIDDEN
        found = [(each.terms.row_filter, self._of_one(each.terms, column)) for each in self._grants]
        different = {treatment for _, treatment in found}
        if not different or (CLEAR, None) in {(treatment, row_filter) for row_filter, treatment in found}:
            return CLEAR
        if len(different) == 1:
            return different.pop()
        if any(row_filter and has_subquery(row_filter) for row_filter, _ in found):
            return _strongest([treatment or NULL for treatment in different if treatment is not CLEAR])
        return _by_row(column, found)

    def _of_one(self, terms: Terms, column: Column) -> Treatment:
        own = [each.tag for each in self._tags if each.field_id == column.field_id]
        if terms.columns is not None and not _given(terms, column):
            return HIDDEN
        if _names(terms, terms.hidden, column) or any(_carries(own, tag) for tag in terms.hidden_tags):
            return HIDDEN
        if terms.hide_untagged and self._tagged_table and not own:
            return HIDDEN
        masks = [mask for name, mask in terms.masks.items() if _names(terms, [name], column)]
        masks += [mask for tag, mask in terms.tag_masks if _carries(own, tag)]
        return _strongest(masks) if masks else CLEAR


def _by_row(column: Column, found: Sequence[tuple[str | None, Treatment]]) -> str:
    """Each row by the grants that let it through: clear before masked, the stronger mask first, NULL where all of them hide."""
    branches = []
    clear = [row_filter for row_filter, treatment in found if treatment is CLEAR and row_filter is not None]
    if clear:
        branches.append(f"WHEN {either(clear)} THEN {identifier(column.name)}")
    masks = {treatment for _, treatment in found if treatment is not CLEAR and treatment != HIDDEN}
    for mask in sorted(masks, key=lambda each: (-strength(each), each)):
        filters = [row_filter for row_filter, treatment in found if treatment == mask]
        condition = "true" if None in filters else either([each for each in filters if each])
        branches.append(f"WHEN {condition} THEN {_typed(mask, column)}")
    return f"CASE {' '.join(branches)} ELSE NULL END"


def _typed(mask: str, column: Column) -> str:
    """All branches of a CASE have one type."""
    return f"try_cast({mask} AS {column.type})" if column.type else f"({mask})"


def _strongest(masks: Sequence[str]) -> str:
    strongest = masks[0]
    for mask in masks[1:]:
        strongest = stronger(strongest, mask)
    return strongest


def _names(terms: Terms, names: Sequence[str], column: Column) -> bool:
    """Whether one of the names means this column: by its name of now, or by the id that the name had in the grant."""
    ids = {terms.field_ids.get(name) for name in names} - {None, 0}
    return column.field_id in ids or column.name.lower() in {name.lower() for name in names}


def _given(terms: Terms, column: Column) -> bool:
    """By id where there is one: a new column that takes the name of an old one is another column."""
    return any(
        terms.field_ids[name] == column.field_id if terms.field_ids.get(name) else name.lower() == column.name.lower()
        for name in terms.columns or ()
    )


def _carries(own: Sequence[Tag], wanted: Tag) -> bool:
    return any(tag.name == wanted.name and wanted.value in (None, tag.value) for tag in own)
