"""Document addresses: a file's URI becomes its path, any other URI is an opaque key of its own."""

from __future__ import annotations

import os
from pathlib import PurePath
from urllib.parse import unquote

_HERE = ("", "localhost")


def to_key(uri: str) -> str:
    """The absolute path of a ``file:`` URI; others (``untitled:``, ``vscode-vfs:``) as they are, and those that no file
    of this machine can have.
    """
    scheme, _, rest = uri.partition(":")
    if scheme.lower() != "file":
        return uri
    host, slash, below = rest[2:].partition("/") if rest.startswith("//") else ("", "", rest)
    # A path has no query and no fragment. Some clients leave the characters that begin them as they are.
    path = unquote(slash + below, errors="surrogateescape")
    if not path.startswith("/") or "\0" in path:
        return uri
    if os.name == "nt":
        if host:
            return f"\\\\{unquote(host)}{path}".replace("/", "\\")
        return path.lstrip("/").replace("/", "\\")
    return os.path.normpath(path) if host.lower() in _HERE else uri


def to_uri(key: str) -> str:
    return PurePath(key).as_uri() if os.path.isabs(key) else key
