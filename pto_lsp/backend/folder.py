"""The output folder: replaced as a whole, and only when it is ours."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping

from pto_lsp.backend.artefacts import Artefacts

MARKER = ".pto-lsp"
"""A file in every folder written here, with the names of the others: what may be replaced."""
_HEAD = "# Written by pto-lsp compile. These files are replaced as a whole:\n"
_CACHE = "__pycache__"


class ForeignFolder(Exception):
    """The folder holds something that was not written here; the text says what."""


def write(artefacts: Artefacts, directory: str) -> bool:
    """Make ``directory`` hold the files of ``artefacts`` and nothing else; False when it already did.

    The new folder is complete before it takes the place of the old one. Raises `ForeignFolder` when there is anything
    in the old one that an earlier call did not write (compiled Python aside), and `OSError`; the old one is then as it
    was.
    """
    target = os.path.realpath(directory)
    _refuse_foreign(target, directory)
    files = {**artefacts.files, MARKER: _HEAD + "".join(f"{name}\n" for name in sorted(artefacts.files))}
    if _holds(target, files):
        return False
    parent = os.path.dirname(target)
    os.makedirs(parent, exist_ok=True)
    # Beside the target: renaming does not work across file systems.
    work = tempfile.mkdtemp(prefix=f".{os.path.basename(target)}-", dir=parent)
    try:
        fresh, old = os.path.join(work, "new"), os.path.join(work, "old")
        for name, text in files.items():
            path = os.path.join(fresh, *name.split("/"))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
        _replace(target, fresh, old)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return True


def _replace(target: str, fresh: str, old: str) -> None:
    if not os.path.lexists(target):
        os.rename(fresh, target)
        return
    os.rename(target, old)
    try:
        os.rename(fresh, target)
    except OSError:
        os.rename(old, target)
        raise


def _refuse_foreign(target: str, shown: str) -> None:
    if not os.path.lexists(target):
        return
    if not os.path.isdir(target):
        raise ForeignFolder(f"{shown} is not a folder")
    if os.path.commonpath([target, os.path.realpath(os.getcwd())]) == target:
        raise ForeignFolder(f"{shown} is the working directory, or holds it: name a folder of its own")
    ours = _marked(target)
    foreign = sorted(name for name in _files(target) if name not in ours)
    if foreign:
        raise ForeignFolder(f"{shown} holds '{foreign[0]}', which pto-lsp did not write: name another folder")


def _marked(target: str) -> set[str]:
    try:
        with open(os.path.join(target, MARKER), encoding="utf-8") as stream:
            return {MARKER, *stream.read().splitlines()[1:]}
    except FileNotFoundError:
        return set()


def _files(target: str) -> Iterator[str]:
    """Every file, link and empty folder below ``target``, relative to it, with ``/``; what Python compiled aside."""
    for folder, subfolders, files in os.walk(target):
        subfolders[:] = [name for name in subfolders if name != _CACHE]
        names = [*files, *(name for name in subfolders if os.path.islink(os.path.join(folder, name)))]
        if not names and not subfolders and folder != target:
            names = [""]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), target).replace(os.sep, "/")


def _holds(target: str, files: Mapping[str, str]) -> bool:
    if not os.path.isdir(target) or set(_files(target)) != set(files):
        return False
    for name, text in files.items():
        with open(os.path.join(target, *name.split("/")), "rb") as stream:
            if stream.read() != text.encode():
                return False
    return True
