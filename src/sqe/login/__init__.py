"""Log-ins on the client's side: `sqe login` keeps an identity provider's tokens for a server, and clients use and renew them.

Protocol is in `sqe.identity.oidc`; the commands are in `sqe.cli.login`. Importing this package loads nothing.
"""
