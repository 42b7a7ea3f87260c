"""What schemathesis checks of every answer, in its own process."""

import json

import schemathesis


@schemathesis.check
def answers_well(ctx, response, case):
    """A failure of the server's names the query that its log can be asked for, and nothing of the inside is told."""
    text = response.text or ""
    for word in ("Traceback", 'File "', "java.lang.", "org.apache.spark", "py4j"):
        assert word not in text, f"the answer shows {word}"
    if response.status_code >= 500:
        try:
            answer = json.loads(text)
        except ValueError:
            raise AssertionError(f"{response.status_code} without an answer in JSON") from None
        assert answer.get("id"), f"{response.status_code} without a query id"
