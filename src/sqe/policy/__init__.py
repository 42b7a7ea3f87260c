"""Who may do what with which rows and columns: decisions, made in Python and enforced inside Spark's analysis.

`decisions.Policy` is the way in: it asks the engines (`grants`, `opa`, `cedar`), combines their answers and keeps them for a
while. The query handler hands what it says to the driver; nothing else asks an engine.
"""
