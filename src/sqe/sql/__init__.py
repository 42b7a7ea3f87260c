"""SQL that is SQE's own: statements that Spark does not know, and names."""
