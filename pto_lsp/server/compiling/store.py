"""From a saved document to an artefact folder: when it is compiled, where it goes, and what is said about it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pto_lsp.backend.artefacts import Artefacts
from pto_lsp.backend.folder import ForeignFolder, write
from pto_lsp.config import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

Json = dict[str, Any]
_IGNORE_ITSELF = "*\n"


def folder_of(path: str, entry: str, settings: Settings) -> str:
    """Where an entry of the file ``path`` goes: below the output folder as the file is below its configuration."""
    stem = os.path.splitext(path)[0]
    inside = stem.startswith(settings.root.rstrip(os.sep) + os.sep)
    below = os.path.relpath(stem, settings.root) if inside else os.path.basename(stem)
    return os.path.join(settings.output_dir, below, entry)


def store(path: str, settings: Settings, made: Json) -> Json:
    """Write what was made of the file ``path``; ``{outputDir, entries, files, messages}``. ``files`` are absolute.

    The folder of an entry is replaced as a whole, or left as it is where anything is missing.
    """
    answer: Json = {"outputDir": settings.output_dir, "entries": [], "files": [], "messages": list(made["messages"])}
    for entry in made["entries"]:
        name, files = entry["entry"], entry["files"]
        if not files:
            answer["messages"].append(f"{name}: {_why_not(entry)}")
            continue
        folder = folder_of(path, name, settings)
        try:
            _prepare(settings.output_dir)
            write(Artefacts(name, files, (), (), {}), folder)
        except ForeignFolder as fault:
            answer["messages"].append(f"{name}: {fault}")
        except OSError as fault:
            answer["messages"].append(f"{name}: {folder}: {fault.strerror or fault}")
        else:
            answer["entries"].append(name)
            answer["files"] += [os.path.join(folder, *each.split("/")) for each in sorted(files)]
    if not made["entries"] and not made["messages"]:
        answer["messages"].append("nothing in this file starts a task")
    return answer


def _why_not(entry: Mapping[str, Any]) -> str:
    """Why an entry has no files."""
    found: Sequence[Json] = entry["errors"] or entry["missing"]
    if not found:
        return "not compiled"
    first = found[0]
    where = f"{os.path.basename(first['path'])}:{first['range'][0][0] + 1}: "
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return f"not compiled: {where}{first['code']} {first['message']}{more}"


def _prepare(output: str) -> None:
    """A new output folder ignores itself in git."""
    if not os.path.isdir(output):
        os.makedirs(output)
        with open(os.path.join(output, ".gitignore"), "w", encoding="utf-8") as file:
            file.write(_IGNORE_ITSELF)
