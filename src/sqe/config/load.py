"""`load`: from a file, the environment and flags to checked `Settings`, or to every problem at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from sqe.config import layers as layers_
from sqe.config.catalogs import DEFAULT_FOLDER, Catalog, default_name
from sqe.config.checks import contradictions
from sqe.config.positions import Path as KeyPath
from sqe.config.problems import ConfigErrors, Problem
from sqe.config.reader import Reader
from sqe.config.settings import Settings

NO_FLAGS: Mapping[str, Any] = MappingProxyType({})


class Loaded(NamedTuple):
    """Settings, and for `--check` where each key was set (None: its default)."""

    settings: Settings
    origin: Callable[[KeyPath], str | None]


def load(path: Path | None, environ: Mapping[str, str], flags: Mapping[str, Any] = NO_FLAGS) -> Settings:
    """The effective settings. `flags` maps dotted keys to values; texts in it are read as an environment variable's are.

    Raises `ConfigErrors` with everything that is wrong.
    """
    return load_with_origins(path, environ, flags).settings


def load_with_origins(path: Path | None, environ: Mapping[str, str], flags: Mapping[str, Any] = NO_FLAGS) -> Loaded:
    layers = layers_.from_file(path)
    misplaced = [
        layers_.put(layers, names, override)
        for names, override in (*layers_.from_environment(environ), *layers_.from_flags(flags))
    ]
    reader = Reader(layers, environ)
    read = reader.table(Settings, layers.tree, ())
    settings = _completed(read if read is not None else Settings())
    # All before the first is reported: a contradiction must not hide another one of the same table.
    found = [finding for finding in contradictions(settings) if not any(reader.failed(each) for each in finding[0])]
    for paths, sentence in found:
        written = [each for each in paths if _origin(layers, each)]
        reader.report((written or paths)[-1], sentence)
    problems = [problem for _, problem in sorted(reader.problems, key=lambda found: layers.order(found[0]))]
    problems += [problem for problem in misplaced if problem is not None]
    if problems:
        raise ConfigErrors(problems)
    return Loaded(settings, lambda key: _origin(layers, key))


def _completed(settings: Settings) -> Settings:
    """Defaults that depend on other keys: the short form of `[auth]`, names of catalogs, the folder of the default one."""
    catalog = settings.catalog
    if catalog.type == "sqlite" and catalog.path is None:
        catalog = replace(catalog, path=Path(DEFAULT_FOLDER).expanduser())
    catalogs: dict[str, Catalog] = {name: replace(each, name=name) for name, each in settings.catalogs.items()}
    return replace(
        settings,
        auth=replace(settings.auth, providers=settings.auth.providers or tuple(settings.auth.implied_providers())),
        catalog=replace(catalog, name=catalog.name or default_name(catalog)),
        catalogs=MappingProxyType(catalogs),
    )


def _origin(layers: layers_.Layers, key: KeyPath) -> str | None:
    known = key in layers.lines or any(key[:length] in layers.overridden for length in range(1, len(key) + 1))
    return layers.where(key) if known else None


__all__ = ["ConfigErrors", "Loaded", "Problem", "load", "load_with_origins"]
