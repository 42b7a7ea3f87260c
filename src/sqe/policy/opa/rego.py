"""Rules that are evaluated in this process, from a folder of Rego files and JSON data, by regopy (rego-cpp)."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqe import errors
from sqe.errors import SqeError
from sqe.policy.files import Clock, PolicyFiles
from sqe.policy.opa.rules import RULES, UNDEFINED, Asked

# A rule is there when a module of the package defines it; `regopy` cannot tell "not there" from "has no value".
_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)", re.MULTILINE)


class RegoRules:
    """The bundle is compiled once for each thread that decides (an interpreter is not shared), and again when a file changed."""

    def __init__(self, folder: Path, package: str, clock: Clock = time.monotonic) -> None:
        self._package = package
        self._folder = folder
        self._files = PolicyFiles(folder, (".rego", ".json"), clock)
        self._local = threading.local()
        self._load()  # what is wrong with the files is said at the start

    def has(self, rule: str) -> bool:
        return rule in self._current().defined

    def version(self) -> str:
        return self._files.version()

    def close(self) -> None:
        pass

    def ask(self, asked: Sequence[Asked]) -> list[Any]:
        bundle = self._current()
        return [bundle.value(each) for each in asked]

    def _current(self) -> _Bundle:
        version = self._files.version()
        if getattr(self._local, "version", None) != version:
            self._local.bundle = self._load()
            self._local.version = version
        bundle: _Bundle = self._local.bundle
        return bundle

    def _load(self) -> _Bundle:
        paths = self._files.paths()
        if not any(path.suffix == ".rego" for path in paths):
            raise _unusable(f"there is no Rego in {self._folder}")
        return _Bundle(self._folder, paths, self._package)


class _Bundle:
    def __init__(self, folder: Path, paths: Sequence[Path], package: str) -> None:
        try:
            from regopy import Interpreter, LogLevel, RegoError
        except ImportError:
            raise SqeError(
                errors.CONFIGURATION_INVALID,
                "policy.opa_bundle needs regopy, which is not installed",
                hint="pip install 'sqe[opa]'",
            ) from None
        self._package = package
        self._rego = Interpreter()
        self._rego.log_level = LogLevel.NONE  # it would print to standard error
        texts = {path: path.read_text(encoding="utf-8") for path in paths}
        try:
            for path, text in texts.items():
                if path.suffix == ".rego":
                    self._rego.add_module(str(path.relative_to(folder)) if path != folder else path.name, text)
                else:
                    self._rego.add_data(json.loads(text))
            own = [text for path, text in texts.items() if path.suffix == ".rego" and package in _PACKAGE.findall(text)]
            self.defined = frozenset(
                rule for rule in RULES if any(re.search(rf"^\s*(default\s+)?{rule}\b", text, re.M) for text in own)
            )
            if "allow" not in self.defined:
                raise _unusable(f"package {package} has no rule 'allow'")
            self._bundle = self._rego.build(None, [self._entry(rule) for rule in sorted(self.defined)])
        except RegoError as error:
            raise _unusable(_first_message(str(error))) from None
        except ValueError as error:
            raise _unusable(f"a data file is not JSON: {error}") from None

    def value(self, asked: Asked) -> Any:
        self._rego.set_input(asked.input)
        output = self._rego.query_bundle_entrypoint(self._bundle, self._entry(asked.rule))
        if not output.ok():
            raise ValueError(f"Rego: {asked.rule} cannot be evaluated")
        text = str(output)
        return UNDEFINED if text == "undefined" else json.loads(text)["expressions"][0]

    def _entry(self, rule: str) -> str:
        return f"{self._package.replace('.', '/')}/{rule}"


def _unusable(why: str) -> SqeError:
    return SqeError(errors.CONFIGURATION_INVALID, f"policy.opa_bundle cannot be used: {why}")


def _first_message(text: str) -> str:
    found = re.search(r"\(errormsg \d+:([^)]*)\)", text)
    return found[1] if found else "its Rego is wrong"
