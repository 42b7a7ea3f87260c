"""What the server tells about itself: logs and Prometheus metrics. Observers of `sqe.query.events`, never in a query's path.

The server (sqe.server) sets them up; nothing else imports this package."""
