"""Engine `opa`: Rego policies with Trino's contract, asked over HTTP (`http`) or evaluated in this process (`rego`)."""
