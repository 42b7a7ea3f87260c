"""Grant options: nobody hands on more than they have."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.identity import Identity
from sqe.policy.combination import both
from sqe.policy.expressions import for_person
from sqe.policy.grants.model import Grant, Terms
from sqe.policy.masks import stronger


def handed_on(held: Sequence[Grant], giver: Identity, wanted: Terms) -> Terms:
    """What the receiver gets: the terms that were asked for, and those of the giver on top, as they are for the giver.

    A giver who sees `owner = current_user` hands on their own rows, not the receiver's. Of several grants with restrictions all
    count: that is less than the giver has, never more.
    """
    if any(each.terms.unrestricted for each in held):
        return wanted
    terms = wanted
    for grant in held:
        terms = _narrowed(terms, grant.terms, giver)
    return terms


def _narrowed(terms: Terms, own: Terms, giver: Identity) -> Terms:
    masks = dict(terms.masks)
    for name, mask in own.masks.items():
        mine = for_person(mask, giver)
        known = next((each for each in masks if each.lower() == name.lower()), None)
        masks[known or name] = stronger(masks[known], mine) if known else mine
    return Terms(
        columns=_common(terms.columns, own.columns),
        row_filter=both(None if own.row_filter is None else for_person(own.row_filter, giver), terms.row_filter),
        masks=masks,
        tag_masks=(*terms.tag_masks, *((tag, for_person(mask, giver)) for tag, mask in own.tag_masks)),
        hidden=tuple(dict.fromkeys((*terms.hidden, *own.hidden))),
        hidden_tags=tuple(dict.fromkeys((*terms.hidden_tags, *own.hidden_tags))),
        hide_untagged=terms.hide_untagged or own.hide_untagged,
        field_ids={**own.field_ids, **terms.field_ids},
        not_future=tuple(dict.fromkeys((*terms.not_future, *own.not_future))),
    )


def _common(wanted: tuple[str, ...] | None, own: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if wanted is None or own is None:
        return own if wanted is None else wanted
    mine = {name.lower() for name in own}
    return tuple(name for name in wanted if name.lower() in mine)
