"""OAuth 2 and OpenID Connect as a client: discovery, signing keys, the grants of a token endpoint, the check of a token.

Providers, catalog identities and `sqe login` call it. Every call blocks, at most for the seconds that `http` says.
"""
