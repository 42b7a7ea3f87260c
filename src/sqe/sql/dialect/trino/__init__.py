"""Trino's SQL: parsed by sqlglot, typed and written in Spark's words by us.

`translate` is the way in. What an expression means in Trino depends on its types (`7 / 2`, `CAST(x AS varchar)`), so every value
carries its Trino type from the tables' columns upwards; what is not known here, be it a function, a clause or a type, is refused.
"""
