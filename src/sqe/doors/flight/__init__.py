"""The Flight SQL door (ADBC, JDBC, ODBC, `sqe`): protocol only. Server code starts `FlightDoor` (door.py); the client in
sqe.client shares the messages in wire/. Nothing here knows SQL: statements go to the query handler as they come."""
