"""The flags of `sqe`, declared once: parsing, `--help` and the documentation are made from FLAGS.

Parsed by hand: importing and building an argparse parser takes 10 ms, as much as the interpreter itself needs to start.
"""

from __future__ import annotations

from sqe.render import FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class UsageError(Exception):
    """The command line makes no sense; the message is one sentence."""


class Flag:
    __slots__ = ("choices", "help", "key", "metavar", "names", "repeat")

    def __init__(
        self, names: str, help: str, metavar: str = "", *, key: str = "", choices: tuple[str, ...] = (), repeat: bool = False
    ) -> None:
        self.names = tuple(names.split())
        self.help = help
        self.metavar = metavar
        self.choices = choices
        self.repeat = repeat
        self.key = key or max(self.names, key=len).lstrip("-").replace("-", "_")


FLAGS = (
    Flag("--embedded", "use the engine on this machine (the default without --host)"),
    Flag("-H --host", "connect to a server; NAME or NAME:PORT", "HOST"),
    Flag("-p --port", "the server's Flight SQL port (50051)", "PORT"),
    Flag("--protocol", "how to talk to the server: flight", "NAME", choices=("flight", "http")),
    Flag("-u --user --username", "log in as this user; the password comes from SQE_PASSWORD or a prompt", "NAME", key="user"),
    Flag("--token", "log in with this bearer token", "TOKEN"),
    Flag("-e --execute", "run this SQL and leave (repeat for more)", "SQL", repeat=True),
    Flag("--file", "run the statements of this file and leave (- is the standard input)", "FILE"),
    Flag("-f --format", f"how results are written: {', '.join(FORMATS)}", "NAME", choices=FORMATS),
    Flag("-o --output", "write results to this file", "FILE"),
    Flag("--stop-on-error", "leave at the first statement that fails"),
    Flag("--tls", "talk to the server over TLS"),
    Flag("--tls-ca", "with TLS, the authorities to trust (PEM); else those of SSL_CERT_FILE or the system", "FILE"),
    Flag("--tls-cert", "with TLS, the client certificate to show (PEM)", "FILE"),
    Flag("--tls-key", "the private key of --tls-cert (PEM)", "FILE"),
    Flag("--insecure", "with TLS, accept any certificate"),
    Flag("--warehouse", "the folder of the embedded warehouse (~/.sqe/warehouse)", "PATH"),
    Flag("--catalog", "also mount the warehouse at PATH as catalog NAME (repeat for more)", "NAME=PATH", repeat=True),
    Flag("--memory", "use a throw-away warehouse that is removed at the end"),
    Flag("--memory-limit", "memory of the embedded engine, such as 2g", "SIZE"),
    Flag("--no-daemon", "start an engine for this call alone and take it down at the end"),
    Flag("--dialect", "the SQL dialect of the statements: spark, the only one in this version", "NAME"),
    Flag("--browser", "sqe login: open the browser of this machine, instead of showing a code for any browser"),
    Flag("--issuer", "sqe login: the identity provider (the server says which)", "URL"),
    Flag("--client-id", "sqe login: the client's name at the identity provider (the server says it)", "ID"),
    Flag("--status", "sqe login: say who is logged in, and where"),
    Flag("--version", "print the version and leave"),
    Flag("-h --help", "print this help and leave"),
)

_BY_NAME = {name: flag for flag in FLAGS for name in flag.names}

# What only makes sense on one side of the choice between the embedded engine and a server.
_EMBEDDED_ONLY = ("embedded", "warehouse", "catalog", "memory", "memory_limit", "no_daemon")
_TLS_ONLY = ("tls_ca", "tls_cert", "tls_key", "insecure")
_SERVER_ONLY = ("port", "user", "token", "tls", *_TLS_ONLY)
# What `sqe login` and `sqe logout` take.
_LOGIN_ONLY = ("browser", "issuer", "client_id", "status")
_LOGIN_TAKES = {"login": ("host", "port", "tls", *_TLS_ONLY, *_LOGIN_ONLY), "logout": ("host", "port", "tls")}


class Options:
    """The command line, checked."""

    def __init__(self) -> None:
        self.host = ""
        self.port = 50051
        self.user = ""
        self.token = ""
        self.tls = False
        self.tls_ca = ""
        self.tls_cert = ""
        self.tls_key = ""
        self.insecure = False
        self.execute: list[str] = []
        self.file = ""
        self.format = ""  # empty: a table
        self.output = ""
        self.stop_on_error = False
        self.warehouse = ""
        self.catalogs: dict[str, str] = {}
        self.memory = False
        self.memory_limit = ""
        self.no_daemon = False
        self.dialect = ""
        self.version = False
        self.help = False
        self.daemon = ""  # status or stop
        self.login = ""  # login or logout
        self.browser = False
        self.issuer = ""
        self.client_id = ""
        self.status = False

    @property
    def server(self) -> str:
        """The address of `--host`, as clients write it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'grpc+tls' if self.tls else 'grpc'}://{host}:{self.port}"


def parse(argv: Sequence[str]) -> Options:
    given, words = _read(argv)
    if "help" in given or "version" in given:
        options = Options()
        options.help, options.version = "help" in given, "version" in given
        return options
    options = _options(given)
    if words[:1] == ["daemon"]:
        if len(words) != 2 or words[1] not in ("status", "stop"):
            raise UsageError("sqe daemon takes one of: status, stop")
        options.daemon = words[1]
    elif words[:1] in (["login"], ["logout"]):
        if len(words) > 1:
            raise UsageError(f"sqe {words[0]} takes no {words[1]!r}; the server is given with --host")
        options.login = words[0]
    elif words:
        raise UsageError(f"unexpected argument {words[0]!r}; SQL is given with -e")
    _check(given, options)
    return options


def _read(argv: Sequence[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Flags with their values, and the words that are no flags."""
    given: dict[str, list[str]] = {}
    words: list[str] = []
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-") or word == "-":
            words.append(word)
            continue
        name, joined, value = word, False, ""
        if word.startswith("--"):
            name, equals, value = word.partition("=")
            joined = bool(equals)
        elif len(word) > 2:
            name, joined, value = word[:2], True, word[2:]
        flag = _BY_NAME.get(name)
        if flag is None:
            raise UsageError(f"unknown option {name}{_nearest(name)}")
        if not flag.metavar:
            if joined:
                raise UsageError(f"{name} takes no value")
            value = "true"
        elif not joined:
            if not rest:
                raise UsageError(f"{name} needs a value ({flag.metavar})")
            value = rest.pop(0)
        if flag.key in given and flag.metavar and not flag.repeat:
            raise UsageError(f"{name} is given twice")
        if flag.choices and value not in flag.choices:
            raise UsageError(f"{name} must be one of {', '.join(flag.choices)}, not {value!r}")
        given.setdefault(flag.key, []).append(value)
    return given, words


def _nearest(name: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, _BY_NAME, n=1, cutoff=0.7)
    return f"; did you mean {close[0]}?" if close else "; sqe --help lists them"


def _options(given: dict[str, list[str]]) -> Options:
    options = Options()
    for key in (
        "host",
        "user",
        "token",
        "file",
        "format",
        "output",
        "warehouse",
        "dialect",
        "issuer",
        "client_id",
        *_TLS_ONLY[:3],
    ):
        if key in given:
            setattr(options, key, given[key][0])
    for key in ("tls", "insecure", "stop_on_error", "memory", "no_daemon", "browser", "status"):
        setattr(options, key, key in given)
    options.execute = given.get("execute", [])
    if "port" in given:
        options.port = _port(given["port"][0])
    if options.host.count(":") == 1:  # with more it is an address of IPv6
        options.host, _, port = options.host.partition(":")
        if "port" in given:
            raise UsageError("--host has a port already: leave --port out")
        options.port = _port(port)
    if "memory_limit" in given:
        options.memory_limit = _size(given["memory_limit"][0])
    for mount in given.get("catalog", []):
        name, equals, path = mount.partition("=")
        if not (equals and path and name.isidentifier()):
            raise UsageError(f"--catalog needs NAME=PATH with a plain name, not {mount!r}")
        if name in options.catalogs or name == "lake":
            raise UsageError(f"catalog {name!r} is mounted already")
        options.catalogs[name] = path
    return options


def _check(given: dict[str, list[str]], options: Options) -> None:
    """Contradictions, each with the sentence that says what to leave out."""
    _check_login(given, options)
    if "host" in given:
        wrong = [key for key in _EMBEDDED_ONLY if key in given]
        if wrong:
            raise UsageError(f"--{wrong[0].replace('_', '-')} is for the embedded engine and does not go with --host")
    else:
        wrong = [key for key in _SERVER_ONLY if key in given]
        if wrong:
            raise UsageError(f"--{wrong[0].replace('_', '-')} needs --host")
    if given.get("protocol") == ["http"]:
        raise UsageError("--protocol http is not available in this version; use --protocol flight")
    without_tls = [key for key in _TLS_ONLY if key in given and not options.tls]
    if without_tls:
        raise UsageError(f"--{without_tls[0].replace('_', '-')} needs --tls")
    if bool(options.tls_cert) != bool(options.tls_key):
        raise UsageError("--tls-cert and --tls-key need each other")
    if options.insecure and (options.tls_ca or options.tls_cert):
        raise UsageError("--insecure does not go with --tls-ca and --tls-cert: a server that is not verified gets no certificate")
    if options.memory and options.warehouse:
        raise UsageError("--memory and --warehouse exclude each other")
    if options.execute and options.file:
        raise UsageError("--execute and --file exclude each other")
    if options.token and options.user:
        raise UsageError("--token and --user exclude each other")


def _check_login(given: dict[str, list[str]], options: Options) -> None:
    if not options.login:
        wrong = [key for key in _LOGIN_ONLY if key in given]
        if wrong:
            raise UsageError(f"--{wrong[0].replace('_', '-')} goes with sqe login")
        return
    wrong = [key for key in given if key not in _LOGIN_TAKES[options.login]]
    if wrong:
        raise UsageError(f"--{wrong[0].replace('_', '-')} does not go with sqe {options.login}")
    if not options.host and not options.status:
        raise UsageError(f"sqe {options.login} needs --host")
    if options.status and (options.browser or options.issuer or options.client_id):
        raise UsageError("--status goes alone, or with --host")


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 65536:
        raise UsageError(f"--port must be a number from 1 to 65535, not {text!r}")
    return int(text)


def _size(text: str) -> str:
    """A memory size in Java's form: `2g`, `1536m`."""
    lowered = text.lower().removesuffix("b").removesuffix("i")
    if not (lowered[:-1].isascii() and lowered[:-1].isdigit() and lowered[-1] in "mg" and int(lowered[:-1]) > 0):
        raise UsageError(f"--memory-limit must be a size such as 2g or 1536m, not {text!r}")
    return f"{int(lowered[:-1])}{lowered[-1]}"


def help_text() -> str:
    lines = [
        "usage: sqe [options]                 SQL shell on the embedded warehouse",
        "       sqe [options] -e SQL          run SQL and leave; also from the standard input",
        "       sqe --host HOST [options]     the same on a server",
        "       sqe daemon status|stop        the embedded engine in the background",
        "       sqe login|logout --host HOST  log in to a server with its identity provider, and out",
        "",
        "options:",
    ]
    for flag in FLAGS:
        left = ", ".join(flag.names) + (f" {flag.metavar}" if flag.metavar else "")
        lines.append(f"  {left:<31}  {flag.help}")
    lines += ["", "Exit status: 0 done, 1 a statement failed, 2 wrong usage."]
    return "\n".join(lines) + "\n"
