"""`Session`: an identity, its own Spark session in the driver, its settings."""

from __future__ import annotations

import json
import logging
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from sqe import errors
from sqe.attached import Attachments
from sqe.attached.kinds import file_keys, with_secret
from sqe.engine.catalogs import NO_SESSION_CATALOG, SYSTEM_CATALOG, spark_settings
from sqe.engine.driver import Driver
from sqe.engine.failures import PolicyNeeded
from sqe.engine.files import FileRights
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.identity.live import LiveLogin
from sqe.identity.login import Origin
from sqe.policy.contract import Decisions
from sqe.query.session_settings import SETTINGS, TIME_ZONE_KEY, engine_time_zone

log = logging.getLogger("sqe.session")

Catalogs = Mapping[str, Mapping[str, str]]

# Of decisions for one statement that ask for nothing new: because policies or columns changed meanwhile. A round for its tables,
# its views' tables, theirs … asks for something new each time and so ends by itself.
_MOST_ROUNDS = 16


@dataclass
class Session:
    """One connection of one person. Its Spark session is opened by the first statement and again after a driver's death."""

    login: LiveLogin
    origin: Origin
    configured_catalogs: Catalogs
    default_catalog: str
    driver: Driver
    files: FileRights = field(default_factory=FileRights)
    attachments: Attachments = field(default_factory=Attachments)
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    settings: dict[str, str] = field(default_factory=dict)
    created: float = field(default_factory=time.monotonic)
    used: float = field(default_factory=time.monotonic)
    closed: bool = False
    running: int = 0
    current: tuple[str, tuple[str, ...]] | None = None  # what USE chose, to be chosen again in a new driver
    decisions: Decisions | None = None  # None: no policy binds the session
    enabled_roles: frozenset[str] | None = None  # what its client chose of its user's roles; None: all of them
    _generation: int = 0
    _settled: int = 0  # the generation in which it reached its place
    _mounted: frozenset[str] = frozenset()  # the catalogs that the driver knows
    _attachments_version: int = -1
    _tokens_version: int = -1  # of the tokens that the driver has
    _known_as: Identity | None = None  # the identity that the driver has
    _policy_epoch: int = 0  # counts the changes that we were told of
    _decided_by: tuple[int, str] = (0, "")  # the policy whose decisions the driver has
    _definers: dict[Identity, Identity] = field(default_factory=dict)  # of views that were read: as recorded, as they are now
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _count_lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def identity(self) -> Identity:
        """Who it is, with the roles of now: a renewed token may bring others."""
        identity = self.login.identity
        return identity if self.enabled_roles is None else replace(identity, roles=identity.roles & self.enabled_roles)

    @property
    def catalogs(self) -> Catalogs:
        """Those that are there for its user."""
        closed = self.login.closed_catalogs
        there = {name: options for name, options in self.configured_catalogs.items() if name not in closed}
        return {**self._attached(), **there}

    def _attached(self) -> Catalogs:
        """A catalog whose secret is gone is closed."""
        contents = self.attachments.look()
        found = {}
        for name, options in contents.catalogs.items():
            with suppress(SqeError):
                found[name] = with_secret(options, contents.secrets)
        return found

    def touch(self) -> None:
        self.used = time.monotonic()

    def began(self) -> None:
        with self._count_lock:
            self.running += 1
        self.touch()

    def ended(self) -> None:
        with self._count_lock:
            self.running -= 1
        self.touch()

    def setting(self, name: str) -> str:
        return self.settings.get(name, SETTINGS[name].default)

    def in_engine(self) -> str:
        """The id of this session's Spark session, opened when this driver does not have it yet, with tokens that are good now."""
        self.login.keep()
        with self._lock:
            if self.closed:
                raise SqeError(errors.AUTHENTICATION_FAILED, "Authentication failed")
            self.driver.await_ready()
            version = self.login.version
            if self._generation != self.driver.generation:
                generation = self.driver.generation
                settings, start, tokens = self._spark_settings(), self._start(), self.login.catalog_tokens()
                self._known_as, self._decided_by = self.identity, self._policy_now()
                known_as = self._identity_facts(self._known_as)
                self.driver.call(
                    "openSession", self.id, json.dumps(settings), json.dumps(start), json.dumps(tokens), json.dumps(known_as)
                )
                self._generation = generation
                self._mounted = frozenset(self.catalogs)
                self._attachments_version = self.attachments.version
            else:
                if self._tokens_version != version:
                    self._hand_over_tokens()
                self.attachments.look()
                if self._attachments_version != self.attachments.version:
                    self._mount_attached()
            self._tokens_version = version
        return self.id

    def ask(self, method: str, *arguments: str) -> dict[str, Any]:
        """A question to the driver about tables. Decisions that it lacks are made and given to it, then it is asked again."""
        self._keep_rights()
        asked: set[tuple[str, str]] = set()
        rounds = 0
        while rounds < _MOST_ROUNDS:
            try:
                return self.driver.call(method, self.in_engine(), *arguments)
            except PolicyNeeded as needed:
                questions = {(json.dumps(needed.definer), table) for table in needed.tables}
                rounds += asked.issuperset(questions)
                asked |= questions
                self._decide(needed.tables, needed.definer)
        raise SqeError(errors.PERMISSION_DENIED, "The statement's rights could not be decided")

    def forget_policies(self) -> None:
        """A policy has changed: the next statement is decided anew. Cheap, and safe from any thread."""
        with self._count_lock:
            self._policy_epoch += 1

    def _decide(self, tables: Sequence[str], definer: Mapping[str, Any] | None) -> None:
        if self.decisions is None:
            raise SqeError(errors.PERMISSION_DENIED, "The statement's rights could not be decided")
        identity, epoch = self.identity, self._policy_epoch
        whose = identity if definer is None else self._definer_now(_recorded(definer))
        made = self.decisions.decide(whose, tables)
        with self._lock:
            # What was decided by rights that changed meanwhile is not put: the driver asks again.
            if (identity, epoch) == (self.identity, self._policy_epoch):
                policies = json.dumps([policy.to_json() for policy in made])
                self.driver.call("putPolicies", self.id, policies, json.dumps(definer) if definer is not None else "")

    def _definer_now(self, recorded: Identity) -> Identity:
        if self.decisions is None:
            return recorded
        now = self._definers[recorded] = self.decisions.definer(recorded)
        return now

    def _keep_rights(self) -> None:
        """The driver goes by the identity and the policies that are current when a statement comes."""
        id, policy = self.in_engine(), self._policy_now()
        with self._lock:
            identity = self.identity
            if identity != self._known_as:
                self.driver.call("setIdentity", id, json.dumps(self._identity_facts(identity)))
            changed = any(now != self._definer_now(recorded) for recorded, now in list(self._definers.items()))
            if changed or (identity, policy) != (self._known_as, self._decided_by):
                self.driver.call("forgetPolicies", id)
            self._known_as, self._decided_by = identity, policy

    def _policy_now(self) -> tuple[int, str]:
        return self._policy_epoch, self.decisions.version() if self.decisions is not None else ""

    def _identity_facts(self, identity: Identity) -> dict[str, object]:
        return {
            "user": identity.user,
            "roles": sorted(identity.roles),
            "groups": sorted(identity.groups),
            "provider": identity.provider,
            "view_key": self.decisions.view_key if self.decisions is not None else None,
            "policy": self.decisions is not None,
        }

    def keep_login(self) -> None:
        """Renews the tokens when that is due, also under a running statement. Raises when the log-in has ended."""
        try:
            self.login.keep()
        finally:
            with self._lock:
                version = self.login.version
                opened = self._generation and self._generation == self.driver.generation and self.driver.ready
                if opened and not self.closed and self._tokens_version != version:
                    self._hand_over_tokens()
                    self._tokens_version = version

    def _hand_over_tokens(self) -> None:
        self.driver.call("setTokens", self.id, json.dumps(self.login.catalog_tokens()))
        for name in self.catalogs.keys() - self._mounted:  # renewed rights opened it
            settings = spark_settings(name, self.configured_catalogs[name], self.id)
            self.driver.call("configureSession", self.id, json.dumps(settings))
            self._mounted |= {name}
        self.driver.call("configureSession", self.id, json.dumps(self._file_setting()))  # roles may be others now

    def _mount_attached(self) -> None:
        """What was attached and detached since the last statement, by this session or another one, also in another process."""
        version, there = self.attachments.version, self.catalogs
        for name in self._mounted - there.keys():
            self.driver.call("detach", self.id, name)
        for name in (there.keys() - self._mounted) | (self._attached().keys() & self._mounted):
            self.driver.call("detach", self.id, name)  # its secret may be another one
            self.driver.call("configureSession", self.id, json.dumps(spark_settings(name, there[name], self.id)))
        self.driver.call("configureSession", self.id, json.dumps(self._file_setting()))
        self._mounted, self._attachments_version = frozenset(there), version

    def _file_setting(self) -> dict[str, str]:
        return self.files.setting(self.identity, file_keys(self.attachments.look().secrets.values()))

    def settle(self) -> None:
        """Goes to its place, when that is a schema which was not there yet as the session was opened."""
        id = self.in_engine()
        if self.current is None or self._settled == self._generation:
            return
        for attempt in range(2):
            place = self.driver.call("current", id)
            if (place["catalog"], tuple(place["namespace"])) == self.current:
                self._settled = self._generation
                return
            if attempt == 0:
                self.return_to_place()

    def return_to_place(self) -> None:
        """Back to where the session stood, after a USE that led nowhere."""
        self.driver.call("enter", self.in_engine(), json.dumps(self._start()))

    def close(self) -> None:
        with self._lock:
            if not self.closed:
                self.closed = True
                self._close_in_engine()

    def leave_engine(self) -> None:
        """For a session whose log-in has ended: the driver forgets it at once, while it stays here to tell its user why."""
        with self._lock:
            self._close_in_engine()

    def _close_in_engine(self) -> None:
        opened, self._generation = self._generation, 0
        if opened and opened == self.driver.generation and self.driver.ready:
            try:
                self.driver.call("closeSession", self.id)
            except SqeError as error:
                log.warning("closing session %s in the driver failed: %s", self.id, error)

    def _spark_settings(self) -> dict[str, str]:
        result = {
            "spark.sql.defaultCatalog": self.default_catalog,
            "spark.sql.catalog.spark_catalog": NO_SESSION_CATALOG,
            "spark.sql.catalog.system": SYSTEM_CATALOG,
            # '${env:X}' in a statement would show the server's environment and settings.
            "spark.sql.variable.substitute": "false",
            **self._file_setting(),
        }
        for name, catalog in self.catalogs.items():
            result |= spark_settings(name, catalog, self.id)
        for name, value in self.settings.items():
            if key := SETTINGS[name].spark_key:
                result[key] = value
        result[TIME_ZONE_KEY] = engine_time_zone(self.setting("sql_dialect"), self.setting("time_zone"))
        return result

    def _start(self) -> dict[str, object]:
        """Where the session stands: in the schema that USE chose before, else in `default`, which is made when missing."""
        if self.current:
            return {"catalog": self.current[0], "namespace": list(self.current[1]), "create": False}
        local = self.catalogs.get(self.default_catalog, {}).get("type", "sqlite") == "sqlite"
        # Elsewhere nothing is asked of the catalog before the first statement: it may be down, or closed to this user.
        return {"catalog": self.default_catalog, "namespace": ["default"], "create": True} if local else {}


def _recorded(definer: Mapping[str, Any]) -> Identity:
    return Identity(definer["user"], frozenset(definer["roles"]), frozenset(definer["groups"]), definer["provider"])
