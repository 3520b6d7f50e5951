"""Paths as formats for machines want them."""

from __future__ import annotations

import os
import posixpath

from pto_lsp.reporters.report import Report


def portable(report: Report, path: str) -> str:
    """The path as the user knows it, with slashes and without ``./``; absolute where it leads out of the directory."""
    shown = posixpath.normpath(report.shown(path).replace(os.sep, "/"))
    if is_inside(shown) or not os.path.isabs(path):
        return shown
    return path.replace(os.sep, "/")


def is_inside(shown: str) -> bool:
    """Whether a portable path is relative and stays below the directory that it counts from."""
    return not (posixpath.isabs(shown) or os.path.isabs(shown) or shown == ".." or shown.startswith("../"))
