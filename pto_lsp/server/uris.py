"""Document addresses: a file's URI becomes its path, any other URI is an opaque key of its own."""

from __future__ import annotations

import os
from pathlib import PurePath
from urllib.parse import unquote, urlsplit


def to_key(uri: str) -> str:
    """The absolute path of a ``file:`` URI; other URIs (``untitled:``, ``vscode-vfs:``) as they are."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        # No URI at all, but the client may know what it means.
        return uri
    if parts.scheme.lower() != "file":
        return uri
    path = unquote(parts.path)
    if os.name == "nt":
        if parts.netloc:
            return f"\\\\{unquote(parts.netloc)}{path}".replace("/", "\\")
        return path.lstrip("/").replace("/", "\\")
    return os.path.normpath(path)


def to_uri(key: str) -> str:
    return PurePath(key).as_uri() if os.path.isabs(key) else key
