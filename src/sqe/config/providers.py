"""`[[auth.providers]]`: the keys of each provider type. What they do is in `sqe.identity`."""

# ruff: noqa: RUF009 - `key` and its kin return dataclass fields, not values

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sqe.config.keys import key, record_list, required
from sqe.config.kinds import BOOLEAN, PATH, SECRET, TEXT, TEXT_OR_TEXTS, TEXTS, URL, choice, duration, words
from sqe.config.values import Duration, Secret


@dataclass(frozen=True)
class StaticUser:
    """A user of a `static` provider."""

    name: str = required(TEXT, "Name to log in with.")
    password: Secret = required(SECRET, "Password, or its argon2 hash (`$argon2id$…`).")
    roles: tuple[str, ...] = key(TEXTS, (), "Roles of the user.")
    groups: tuple[str, ...] = key(TEXTS, (), "Groups of the user.")


@dataclass(frozen=True)
class Provider:
    """A way to log in."""

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """What is wrong with keys that are fine each: the key to show, and a sentence without the provider's name."""
        yield from ()


@dataclass(frozen=True)
class StaticProvider(Provider):
    """`type = "static"`: users written in this file, for development and small teams."""

    users: tuple[StaticUser, ...] = record_list(StaticUser)


@dataclass(frozen=True)
class AnonymousProvider(Provider):
    """`type = "anonymous"`: everybody who comes without a password is let in; for development only."""

    user: str = key(TEXT, "anonymous", "Name that they all get.")
    roles: tuple[str, ...] = key(TEXTS, (), "Roles that they all get.")


@dataclass(frozen=True)
class ApiKeyProvider(Provider):
    """`type = "api_key"`: programs with a key that `sqe-server api-key` made."""

    file: Path = required(PATH, "File with the hashes of the keys and whose they are. Changes count from the next log-in.")

    def contradictions(self) -> Iterator[tuple[str, str]]:
        from sqe.identity.api_key_file import check_file

        problem = check_file(self.file)
        if problem is not None:
            yield "file", f"has a file that cannot be used: {problem}"


@dataclass(frozen=True)
class MtlsRule:
    """A rule of an `mtls` provider. The first one that fits is used."""

    field: str = required(choice(("cn", "email", "dns", "uri")), "The subject's common name, or a kind of alternative name.")
    pattern: str = required(TEXT, "What it must be; `*` stands for any text but `.` in `dns`, `@` in `email` and `/` in `uri`.")
    user: str = key(TEXT, "$0", "Name of the user; `$0` is the whole value, `$1` what the first `*` stands for.")
    roles: tuple[str, ...] = key(TEXTS, (), "Roles of the user; `$1` and so on are replaced here too.")
    groups: tuple[str, ...] = key(TEXTS, (), "Groups of the user, likewise.")


@dataclass(frozen=True)
class MtlsProvider(Provider):
    """`type = "mtls"`: clients whose certificate was signed by `coordinator.tls_client_ca`, and who send nothing else."""

    rules: tuple[MtlsRule, ...] = record_list(MtlsRule)

    def contradictions(self) -> Iterator[tuple[str, str]]:
        if not self.rules:
            yield "rules", "needs the key 'rules', with a rule in it"
        for rule in self.rules:
            stars = rule.pattern.count("*")
            for text in (rule.user, *rule.roles, *rule.groups):
                if any(int(number) > stars for number in re.findall(r"\$(\d+)", text)):
                    yield "rules", f"has {text!r} for the pattern {rule.pattern!r}, which has fewer '*'"


@dataclass(frozen=True)
class ArnPattern:
    """Who an AWS identity is to this server. The first entry whose pattern fits counts; without one nobody gets in."""

    arn: str = required(TEXT, "ARN as STS says it; `*` stands for any characters but `/` and `:`.")
    user: str = key(
        TEXT, "{name}", "User name; `{name}` is the IAM user or role, and there are `{session}`, `{account}` and `{arn}`."
    )
    roles: tuple[str, ...] = key(TEXTS, (), "Roles of the user.")
    groups: tuple[str, ...] = key(TEXTS, (), "Groups of the user.")

    def problem(self) -> str | None:
        if not re.fullmatch(r"arn:[a-z-]+:(iam|sts)::[0-9*]{1,12}:[\x21-\x7e]+", self.arn):
            return f"{self.arn!r} is not the ARN of a user or an assumed role (arn:aws:sts::123456789012:assumed-role/NAME/*)"
        unknown = [word for word in re.findall(r"\{(.*?)\}", self.user) if word not in ("name", "session", "account", "arn")]
        if unknown:
            return f"{self.user!r} has the unknown word {{{unknown[0]}}}"
        if "{session}" in self.user and ":assumed-role/" not in self.arn:
            return f"{self.user!r} needs a pattern for an assumed role: nobody else has a session name"
        return None


@dataclass(frozen=True)
class AwsIamProvider(Provider):
    """`type = "aws_iam"`: AWS users and roles, who sign a GetCallerIdentity request of STS for this server."""

    server_id: str = required(
        TEXT, "Name of this server that clients sign as header `X-SQE-Server-Id`; a signature for another one is refused."
    )
    accounts: tuple[str, ...] = required(TEXTS, "Numbers of the AWS accounts whose identities may log in.")
    arn_patterns: tuple[ArnPattern, ...] = record_list(ArnPattern)
    sts_endpoint: str = key(URL, "https://sts.amazonaws.com", "The only address that signed requests are sent to.")
    max_age: Duration = key(duration("10s", "15m"), Duration(300), "How long after its signature a request may be used, once.")
    insecure: bool = key(BOOLEAN, False, "Allow an `http:` endpoint, for tests.")

    def contradictions(self) -> Iterator[tuple[str, str]]:
        if not re.fullmatch(r"[\x21-\x7e]{1,256}", self.server_id):
            yield "server_id", "needs a 'server_id' without spaces, in ASCII: it is sent in a header"
        if not self.accounts:
            yield "accounts", "needs the key 'accounts', with an account in it: all of AWS could log in"
        for account in self.accounts:
            if not re.fullmatch(r"[0-9]{12}", account):
                yield "accounts", f"has the account {account!r}, which is not a number of 12 digits"
        if not self.arn_patterns:
            yield "arn_patterns", "needs the key 'arn_patterns', with a pattern in it"
        for problem in filter(None, (pattern.problem() for pattern in self.arn_patterns)):
            yield "arn_patterns", f"has a wrong pattern: {problem}"
        if not re.fullmatch(r"https?://[A-Za-z0-9.\-\[\]:]+/?", self.sts_endpoint):
            yield "sts_endpoint", "needs an 'sts_endpoint' without a path, such as https://sts.eu-central-1.amazonaws.com"
        elif self.sts_endpoint.startswith("http:") and not self.insecure:
            yield "sts_endpoint", "has an 'sts_endpoint' without TLS, so anybody between could say who a user is"


ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")


@dataclass(frozen=True, kw_only=True)
class OidcProvider(Provider):
    """What all providers that read an issuer's tokens have."""

    issuer: str | None = key(URL, None, "Address of the identity provider; everything else about it is discovered from there.")
    jwks_url: str | None = key(URL, None, "Where the issuer's signing keys are, when it cannot be asked for that.")
    algorithms: tuple[str, ...] = key(words(ALGORITHMS), ALGORITHMS, "Signatures that are taken.")
    clock_skew: Duration = key(duration("0s", "5m"), Duration(30), "How far the clocks of issuer and server may differ.")
    user_claim: str = key(TEXT, "preferred_username", "Claim that holds the user's name; `a.b` is claim `b` in claim `a`.")
    roles_claim: str = key(TEXT, "realm_access.roles", "Claim that holds the roles.")
    groups_claim: str = key(TEXT, "groups", "Claim that holds the groups.")


@dataclass(frozen=True, kw_only=True)
class OidcClientProvider(OidcProvider):
    """What all providers that ask a token endpoint have."""

    token_endpoint: str | None = key(URL, None, "Where tokens are had, when the issuer cannot be asked for that.")
    request_audience: str | None = key(TEXT, None, "Audience that is asked for, where the issuer wants to be told.")
    scope: str | None = key(TEXT, None, "Scope that is asked for.")

    def contradictions(self) -> Iterator[tuple[str, str]]:
        if self.issuer is None and self.token_endpoint is None:
            yield "issuer", "needs the key 'issuer' (or 'token_endpoint')"


@dataclass(frozen=True, kw_only=True)
class OidcServerProvider(OidcClientProvider):
    """What all providers have for which this server is a client of the issuer."""

    client_id: str = required(TEXT, "This server's client at the issuer.")
    client_secret: Secret | None = key(SECRET, None, "Its secret; without one it is a public client.")
    client_auth: str | None = key(
        choice(("client_secret_basic", "client_secret_post")), None, "How the secret is sent (default: as the issuer prefers)."
    )


@dataclass(frozen=True, kw_only=True)
class LoginByPeople(OidcProvider):
    """What all providers have whose tokens people get by `sqe login`."""

    cli_client_id: str | None = key(TEXT, None, "Public client at the issuer under which `sqe login` gets people their tokens.")
    cli_scopes: tuple[str, ...] = key(
        TEXTS, ("openid", "offline_access"), "Scopes that `sqe login` asks for; `offline_access` makes a log-in last for days."
    )
    browser_client_id: str | None = key(
        TEXT, None, "Client at the issuer under which people log in by a browser for Trino's clients; docs/trino.md."
    )
    browser_client_secret: Secret | None = key(SECRET, None, "Its secret; without one it is a public client.")
    browser_scopes: tuple[str, ...] = key(TEXTS, ("openid",), "Scopes that are asked for then.")

    def contradictions(self) -> Iterator[tuple[str, str]]:
        if self.issuer is None and self.jwks_url is None:
            yield "issuer", "needs the key 'issuer' (or 'jwks_url')"
        if self.cli_client_id is not None and self.issuer is None:
            yield "cli_client_id", "needs the key 'issuer' for 'cli_client_id': people log in there"
        if self.browser_client_id is not None and self.issuer is None:
            yield "browser_client_id", "needs the key 'issuer' for 'browser_client_id': people log in there"


@dataclass(frozen=True, kw_only=True)
class BearerTokenProvider(LoginByPeople):
    """`type = "bearer_token"`: clients that bring an issuer's signed token (JWT)."""

    audience: tuple[str, ...] = key(TEXT_OR_TEXTS, (), "Whom tokens must be for: one of these. Default: anybody.")


@dataclass(frozen=True, kw_only=True)
class OidcPasswordProvider(OidcServerProvider):
    """`type = "oidc_password"`: names and passwords that the issuer checks. It takes every name: put it last."""

    scope: str | None = key(TEXT, "openid", "Scope that is asked for; some issuers renew nothing without `offline_access`.")
    claims_from: str = key(
        choice(("access_token", "id_token")),
        "access_token",
        "Which token says who it is; `id_token` where the other is opaque.",
    )


@dataclass(frozen=True, kw_only=True)
class ClientCredentialsProvider(OidcClientProvider):
    """`type = "client_credentials"`: programs with a client of their own at the issuer, its id as name, its secret as password.

    A token that holds no user's name is its client's.
    """

    clients: tuple[str, ...] = key(TEXTS, (), "Ids that are this provider's, such as `etl-*`. Default: all.")


@dataclass(frozen=True, kw_only=True)
class TokenExchangeProvider(OidcServerProvider, LoginByPeople):
    """`type = "token_exchange"`: as `bearer_token`, but what catalogs get is a token that was exchanged for the client's."""

    audience: tuple[str, ...] = key(TEXT_OR_TEXTS, (), "Whom the client's tokens must be for: one of these.")

    def contradictions(self) -> Iterator[tuple[str, str]]:
        yield from OidcServerProvider.contradictions(self)
        yield from LoginByPeople.contradictions(self)


def catalog_scope(token_endpoint: str | None) -> str | None:
    """Catalogs that issue tokens themselves (Polaris and its kin) want to hear which of a principal's roles are used."""
    return "PRINCIPAL_ROLE:ALL" if (token_endpoint or "").endswith("/v1/oauth/tokens") else None


@dataclass(frozen=True)
class LdapGroupRoles:
    """Roles that come with a group of an `ldap` provider."""

    group: str = required(TEXT, "Name of the group, as the user's groups have it.")
    roles: tuple[str, ...] = required(TEXTS, "Roles of its members.")


@dataclass(frozen=True)
class LdapProvider(Provider):
    """`type = "ldap"`: people of a directory, with their passwords. Needs `pip install 'sqe[ldap]'`."""

    url: str = required(URL, "`ldaps://host`, or `ldap://host`, which StartTLS then secures.")
    user_dn: str | None = key(TEXT, None, "DN to bind as, with `{user}` for the name. Without it the person is searched for.")
    search_base: str | None = key(TEXT, None, "DN under which people are searched for.")
    search_filter: str = key(TEXT, "(uid={user})", "Filter that finds one person by the name that they log in with.")
    bind_dn: str | None = key(TEXT, None, "DN of the entry that searches. It needs to read people and groups, and no more.")
    bind_password: Secret | None = key(SECRET, None, "Its password.")
    user_attribute: str = key(TEXT, "uid", "Attribute of a person's entry that has the user name as SQE knows it.")
    member_of: str | None = key(TEXT, None, "Attribute of a person's entry with the DNs of groups, such as `memberOf`.")
    group_base: str | None = key(TEXT, None, "DN under which groups are searched for.")
    group_filter: str = key(TEXT, "(member={dn})", "Filter that finds a person's groups, by `{dn}` or `{user}`.")
    group_attribute: str = key(TEXT, "cn", "Attribute of a group's entry that has its name.")
    roles: tuple[str, ...] = key(TEXTS, (), "Roles of everybody who logs in by this provider.")
    group_roles: tuple[LdapGroupRoles, ...] = record_list(LdapGroupRoles)
    ca_file: Path | None = key(PATH, None, "Authorities that may vouch for the directory, in place of the machine's.")
    insecure: bool = key(BOOLEAN, False, "Send passwords without TLS, for tests.")

    def contradictions(self) -> Iterator[tuple[str, str]]:
        import importlib.util

        if importlib.util.find_spec("ldap") is None:
            yield "url", "needs the package python-ldap, which is not installed: pip install 'sqe[ldap]'"
        if not re.fullmatch(r"ldaps?://[A-Za-z0-9.\-\[\]:]+/?", self.url):
            yield "url", "needs a 'url' such as ldaps://ldap.example.com, without a path"
        elif self.insecure and self.url.startswith("ldaps:"):
            yield "insecure", "has 'insecure' for an ldaps: address, which is never plain"
        if (self.user_dn is None) == (self.search_base is None):
            yield "user_dn", "needs either 'user_dn' or 'search_base'"
        for name in ("user_dn", "search_filter"):
            if "{user}" not in (getattr(self, name) or "{user}"):
                yield name, f"needs {{user}} in {name!r}: everybody would be the same person"
        if "{dn}" not in self.group_filter and "{user}" not in self.group_filter:
            yield "group_filter", "needs {dn} or {user} in 'group_filter': everybody would be in all groups"
        if (self.bind_dn is None) != (self.bind_password is None):
            yield "bind_dn", "has 'bind_dn' or 'bind_password' without the other"
        if self.bind_dn is not None and self.user_dn is not None:
            yield "bind_dn", "has 'bind_dn' with 'user_dn': people who bind themselves need nobody to search"
        if self.group_roles and self.member_of is None and self.group_base is None:
            yield "group_roles", "has 'group_roles' but neither 'member_of' nor 'group_base', so nobody has groups"


# By the word of the key `type`.
PROVIDERS: Mapping[str, type[Provider]] = {
    "oidc_password": OidcPasswordProvider,
    "client_credentials": ClientCredentialsProvider,
    "bearer_token": BearerTokenProvider,
    "token_exchange": TokenExchangeProvider,
    "static": StaticProvider,
    "anonymous": AnonymousProvider,
    "api_key": ApiKeyProvider,
    "aws_iam": AwsIamProvider,
    "ldap": LdapProvider,
    "mtls": MtlsProvider,
}
