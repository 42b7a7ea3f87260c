"""The doors: one folder a protocol. Each turns its protocol into calls of the query handler and knows no SQL."""
