"""The one way to the engine. Doors call `QueryHandler` (handler.py) and get a `Query` (running.py) back; nobody else
talks to `sqe.engine`. Observers subscribe to the handler's events and are never in the path."""
