"""The results themselves: one small file for each checked file and set of settings."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from importlib.util import find_spec
from typing import Any, NamedTuple

import pto_lsp
from pto_lsp.cache import records
from pto_lsp.config import Settings, SettingsResolver
from pto_lsp.diagnostics import Diagnostic
from pto_lsp.discovery import SourceError, read_bytes

_FORGOTTEN_AFTER = 14 * 24 * 3600
"""Seconds after which results of other versions are thrown away."""
_VERSION = re.compile(r"[0-9a-f]{16}")


class Cached(NamedTuple):
    """``reads``: the paths that the result depends on, the file itself among them."""

    diagnostics: tuple[Diagnostic, ...]
    reads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Store:
    """Where results of this very tool lie. A fault of the file system is a miss, or a result that is not kept."""

    folder: str

    @staticmethod
    def open(directory: str) -> Store:
        """The results of this version below ``directory``; those of versions long out of use are removed."""
        folder = os.path.join(directory, "results", _tool())
        if not os.path.isdir(folder):
            _remove_old(os.path.dirname(folder))
        return Store(folder)

    def get(self, key: str) -> Any:
        try:
            with open(os.path.join(self.folder, key), encoding="ascii") as file:
                return json.load(file)
        except (OSError, ValueError):
            return None

    def put(self, key: str, record: Any) -> None:
        try:
            os.makedirs(self.folder, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=self.folder)
            with os.fdopen(handle, "w", encoding="ascii") as file:
                json.dump(record, file, separators=(",", ":"))
            os.replace(temporary, os.path.join(self.folder, key))
        except OSError:
            return


class ResultCache:
    """Looks results up and keeps them. What it has found out about a path it remembers: one object for one run."""

    def __init__(self, store: Store, resolver: SettingsResolver) -> None:
        self._store = store
        self._resolver = resolver
        self._digests: dict[str, str | None] = {}
        self._exists: dict[str, bool] = {}

    def lookup(self, path: str, content: bytes) -> Cached | None:
        """The result of the file ``path`` with this ``content``; None where it is not known, or may be another now."""
        record = self._store.get(self._key(path))
        try:
            digest, reads, probes, found = record
            if digest != digest_of(content):
                return None
            if any(self._present(module) != state for module, state in reads.items()):
                return None
            if any(self._is_there(each) != there for each, there in probes.items()):
                return None
            return Cached(tuple([records.diagnostic(each) for each in found]), (path, *reads))
        except (AttributeError, TypeError, ValueError):
            return None

    def keep(
        self,
        path: str,
        content: bytes,
        diagnostics: Iterable[Diagnostic],
        reads: Mapping[str, bytes],
        probes: Mapping[str, bool],
    ) -> None:
        """``reads``: the modules that were read besides the file itself, with what they held."""
        modules = {module: self._state(module, digest_of(data)) for module, data in reads.items()}
        found = [records.document(each) for each in diagnostics]
        self._store.put(self._key(path), [digest_of(content), modules, dict(probes), found])

    def _key(self, path: str) -> str:
        return digest_of(f"{path}\0{_identity(self._resolver.for_file(path))}".encode("utf-8", "surrogatepass"))

    def _present(self, path: str) -> str | None:
        if path not in self._digests:
            try:
                self._digests[path] = self._state(path, digest_of(read_bytes(path)))
            except SourceError:
                self._digests[path] = None
        return self._digests[path]

    def _state(self, path: str, digest: str) -> str:
        """Content and settings of a module."""
        settings = _identity(self._resolver.for_file(path)).encode("utf-8", "surrogatepass")
        return f"{digest} {digest_of(settings)}"

    def _is_there(self, path: str) -> bool:
        if path not in self._exists:
            self._exists[path] = os.path.exists(path)
        return self._exists[path]


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _identity(settings: Settings) -> str:
    return repr([getattr(settings, each.name) for each in fields(settings) if each.compare])


def _tool() -> str:
    """A name for this tool as it is: its version, its files, its parser and the Python that runs it."""
    package = os.path.dirname(os.path.abspath(pto_lsp.__file__))
    parts = [pto_lsp.__version__, sys.version, package]
    parser = find_spec("libcst")
    if parser is not None and parser.origin is not None:
        parts.append(f"{parser.origin} {os.stat(parser.origin).st_mtime_ns}")
    pending = [package]
    while pending:
        with os.scandir(pending.pop()) as scan:
            for entry in sorted(scan, key=lambda each: each.name):
                if entry.is_dir():
                    if entry.name != "__pycache__":
                        pending.append(entry.path)
                elif entry.name.endswith(".py"):
                    state = entry.stat()
                    parts.append(f"{entry.path} {state.st_size} {state.st_mtime_ns}")
    return digest_of("\0".join(parts).encode("utf-8", "surrogatepass"))[:16]


def _remove_old(directory: str) -> None:
    try:
        with os.scandir(directory) as scan:
            old = [
                each.path
                for each in scan
                if _VERSION.fullmatch(each.name) and each.stat().st_mtime < time.time() - _FORGOTTEN_AFTER
            ]
    except OSError:
        return
    for path in old:
        shutil.rmtree(path, ignore_errors=True)
