"""What the shell offers at the cursor."""

from __future__ import annotations

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from sqe.cli.backend import Request, Summary
from sqe.cli.completion import Names, SqlCompleter

NAMES = {
    ("catalogs",): ["lake", "side"],
    ("schemas",): ["default", "sales"],
    ("schemas", "lake"): ["default", "sales"],
    ("tables",): ["orders", "odd name"],
    ("tables", "sales"): ["invoices"],
    ("tables", "lake", "sales"): ["invoices"],
    ("columns", "orders"): ["order_id", "amount"],
    ("columns", "sales", "invoices"): ["invoice_id"],
    ("columns", "lake", "sales", "invoices"): ["invoice_id"],
}


class Catalog:
    """An engine that knows names only, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def names(self, kind: str, path: list[str]) -> list[str]:
        self.asked += 1
        return NAMES.get((kind, *path), [])

    def run(self, request: Request, output: object) -> Summary:
        raise NotImplementedError

    def cancel(self) -> bool:
        return False

    def close(self) -> None:
        pass


def offered(text: str, names: Names | None = None) -> list[str]:
    """The completions at the end of the text, or at a `^` in it."""
    before, _, after = text.partition("^")
    completer = SqlCompleter(names or Names(Catalog()))
    document = Document(before + after, len(before))
    return [completion.text for completion in completer.get_completions(document, CompleteEvent())]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("SELEC", ["SELECT"]),
        ("selec", ["select"]),
        ("SELECT * FROM ord", ["orders", "order"]),
        ("SELECT * FROM od", ["`odd name`"]),
        ("SELECT * FROM sal", ["sales"]),
        ("SELECT * FROM sales.inv", ["invoices"]),
        ("SELECT * FROM lake.sa", ["sales"]),
        ("SELECT * FROM lake.sales.", ["invoices"]),
        ("SELECT am^ FROM orders", ["amount"]),
        ("SELECT o.am^ FROM orders o", ["amount"]),
        ("SELECT orders.order_^ FROM orders", ["order_id"]),
        ("SELECT inv^ FROM lake.sales.invoices", ["invoice_id"]),
        ("SELECT * FROM a JOIN orders AS o ON o.order", ["order_id"]),
        (".ta", [".tables"]),
        (".format js", ["json", "jsonl"]),
        (".describe or", ["orders"]),
        (".timer o", ["on", "off"]),
    ],
)
def test_completions_fit_the_place(text: str, first: list[str]) -> None:
    assert offered(text)[: len(first)] == first


def test_names_are_asked_for_once_until_they_may_have_changed() -> None:
    catalog = Catalog()
    names = Names(catalog)
    offered("SELECT * FROM ord", names)
    asked = catalog.asked
    offered("SELECT * FROM orde", names)
    assert catalog.asked == asked
    names.forget()
    offered("SELECT * FROM ord", names)
    assert catalog.asked == 2 * asked
