"""`sqe login`, `sqe logout` and `sqe login --status`: what they say on the terminal. No token is ever among it."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, TextIO

from sqe.cli.arguments import Options, UsageError
from sqe.cli.backend import Failure
from sqe.errors import AUTHENTICATION_FAILED, SqeError
from sqe.identity.options import LoginOption
from sqe.login.kept import ServerLogin, server_name
from sqe.login.store import KeptLogin, Store

if TYPE_CHECKING:
    from sqe.identity.oidc.device import Invitation


def run(options: Options) -> int:
    """The exit status, as for every command: 1 when nobody is logged in, or logging in failed."""
    try:
        if options.status:
            return _status(options)
        return _log_out(options) if options.login == "logout" else _log_in(options)
    except SqeError as error:
        raise Failure(error.code.name, str(error).removeprefix(f"{error.code.name}: ")) from None


def _log_in(options: Options) -> int:
    from sqe.identity.oidc.words import is_loopback
    from sqe.login.provider import LoginProvider

    server, store = _server(options), Store()
    if not options.tls and not is_loopback(options.host):
        _tell(f"sqe: the connection to {options.host} is not encrypted; use --tls if the server has it", sys.stderr)
    provider = LoginProvider(_option(options))
    if options.browser:
        kept = provider.by_browser(server, lambda url: _open_browser(server, url))
    else:
        kept = provider.by_device(server, lambda invitation: _tell(_instruction(server, invitation)))
    _check_with_server(options, kept, store)
    with store.locked(server):
        store.write(kept)
    _tell(f"Logged in to {_shown(server)}{f' as {kept.user}' if kept.user else ''}.")
    return 0


def _option(options: Options) -> LoginOption:
    """What the command line says, else what the server says."""
    if options.issuer and options.client_id:
        return LoginOption(options.issuer, options.client_id)
    from sqe.cli.remote import silence_grpc, tls_of
    from sqe.client.login_options import login_options

    silence_grpc()
    offered = login_options(options.server, tls_of(options))
    for option in offered:
        if options.issuer.rstrip("/") in ("", option.issuer.rstrip("/")) and options.client_id in ("", option.client_id):
            return option
    if offered:
        raise UsageError("the server names other identity providers or clients; give both --issuer and --client-id")
    raise UsageError("the server does not say how people log in; give --issuer and --client-id, or use --user")


def _instruction(server: str, invitation: Invitation) -> str:
    do = "confirm" if invitation.code_is_in_page else "enter"
    return f"To log in to {_shown(server)}, open {invitation.page} and {do} the code {invitation.code}"


def _open_browser(server: str, url: str) -> None:
    import webbrowser

    _tell(f"To log in to {_shown(server)}, go on in the browser; if it does not open, open {url}")
    webbrowser.open(url)


def _check_with_server(options: Options, kept: KeptLogin, store: Store) -> None:
    """A log-in that the server does not take is told now and not kept. A server that is away may take it later."""
    from sqe.cli.remote import silence_grpc, tls_of
    from sqe.client import FlightClient

    silence_grpc()
    try:
        FlightClient(options.server, tokens=ServerLogin(kept, store), tls=tls_of(options)).close()
    except SqeError as error:
        if error.code is AUTHENTICATION_FAILED:
            raise SqeError(error.code, f"The server does not take log-ins of {kept.issuer} for {kept.client_id}") from None


def _log_out(options: Options) -> int:
    server, store = _server(options), Store()
    with store.locked(server):
        kept = store.read(server)
        told = _revoked(kept) if kept is not None else True
        store.remove(server)
    if kept is None:
        _tell(f"Nobody is logged in to {_shown(server)}.")
        return 1
    _tell(f"Logged out from {_shown(server)}{'' if told else '; the identity provider could not be told'}.")
    return 0


def _revoked(kept: KeptLogin) -> bool:
    from sqe.login.provider import LoginProvider

    try:
        return LoginProvider(LoginOption(kept.issuer, kept.client_id, kept.scopes)).revoke(kept)
    except SqeError:
        return False


def _status(options: Options) -> int:
    store = Store()
    servers = [_server(options)] if options.host else store.servers()
    found = [kept for kept in map(store.read, servers) if kept is not None]
    for kept in found:
        _tell(_described(kept))
    if not found:
        _tell(f"Nobody is logged in{f' to {_shown(servers[0])}' if servers else ''}.")
    return 0 if found else 1


def _described(kept: KeptLogin) -> str:
    who = f"{kept.user or 'somebody'} at {kept.issuer}"
    if kept.refresh is not None:
        return f"{_shown(kept.server)}: {who}, renewed by itself"
    until = time.strftime("%Y-%m-%d %H:%M", time.localtime(kept.expires_at))
    return f"{_shown(kept.server)}: {who}, {'until' if time.time() < kept.expires_at else 'expired at'} {until}"


def _server(options: Options) -> str:
    server = server_name(options.server)
    if server is None:
        raise UsageError(f"--host {options.host!r} is not the name of a server")
    return server


def _shown(server: str) -> str:
    scheme, _, address = server.partition("://")
    return f"{address} (TLS)" if scheme == "grpc+tls" else address


def _tell(line: str, stream: TextIO | None = None) -> None:
    print(line, file=stream or sys.stdout, flush=True)
