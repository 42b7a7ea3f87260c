"""The authorizing REST gateway: a catalog with users, for tests, where Polaris cannot be had.

In front of the REST fixture it does what Polaris does: it checks the user's token, answers 401, 403 and 404 by the user's
grants (a table that may not be read is a table that does not exist), and vends keys for the table's prefix. It writes down who
asked for what. It is a test component: no caching, no tuning, never a product.
"""
