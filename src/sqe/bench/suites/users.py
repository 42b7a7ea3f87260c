"""Our own: many people at once on the tables of `small`, each with a session, a mix of small and larger questions."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.bench.suites import small
from sqe.bench.suites.suite import Query, Suite


def queries(scale: float) -> Sequence[Query]:
    """Most ask for little; a few ask for much. The crowd (crowd.py) takes them in turns, each user from another place on."""
    looks = [query for query in small.queries(scale) if query.name in ("select-1", "point", "count", "top", "group", "join")]
    heavy = Query(
        "heavy",
        "SELECT i_mode, count(*) AS n, sum(i_price) AS total FROM items JOIN orders ON o_key = i_order WHERE o_status = 'F' "
        "GROUP BY i_mode ORDER BY i_mode",
        ordered=True,
    )
    return (*looks, heavy)


SUITE = Suite("users", "our own: 10, 50 and 100 users at once, mixed", small.TABLES, queries)
