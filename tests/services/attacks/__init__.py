"""Attacks on one server, which ends with them: a package, so that its fixtures end with it and not with the run."""
