"""Compiling an orchestration against the host model, and running it."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

SOURCES = Path(__file__).parent
FLAGS = ("-std=c++17", "-Wall", "-Wextra", "-Werror")
TIME_LIMIT = 120.0
_MODEL = ("recorder.cpp", "writers.cpp", "json.cpp")


class CompileError(Exception):
    """The C++ compiler's own words."""


@dataclass(frozen=True, slots=True)
class TensorArgument:
    """Zeroed memory for one tensor of the entry. ``dtype`` is the runtime's name of it ("FLOAT32")."""

    dtype: str
    shape: tuple[int, ...]


EntryArgument = Union[TensorArgument, int, float, bool]


def find_compiler() -> str | None:
    """The C++ compiler of this machine, None where there is none."""
    return shutil.which("g++") or shutil.which("c++")


class HostModel:
    """Compiles into ``directory``, which the caller owns; the model itself only once. Not for several threads."""

    def __init__(self, directory: Path, compiler: str) -> None:
        self._directory = directory
        self._compiler = compiler
        self._objects: set[str] = set()

    def check(self, orchestration: Path) -> None:
        """Compile without making anything. Raises `CompileError`."""
        self._compile(str(orchestration), "-fsyntax-only")

    def program(self, orchestration: Path, entry: str) -> Path:
        """An executable that runs ``entry`` of a C++ file. Raises `CompileError`."""
        objects = [self._object(name, "") for name in _MODEL]
        objects.append(self._object("main.cpp", entry))
        executable = self._directory / f"{orchestration.stem}-{entry}"
        self._compile(str(orchestration), *objects, "-o", str(executable))
        return executable

    def _object(self, name: str, entry: str) -> str:
        """A compiled part of the model; ``entry`` is what its main function calls."""
        target = str(self._directory / f"{name}{entry}.o")
        if target not in self._objects:
            define = (f"-DHOSTMODEL_ENTRY={entry}",) if entry else ()
            self._compile(str(SOURCES / name), *define, "-c", "-o", target)
            self._objects.add(target)
        return target

    def _compile(self, *words: str) -> None:
        include = (f"-I{SOURCES / 'include'}", f"-I{SOURCES}")
        done = subprocess.run(
            [self._compiler, *FLAGS, *include, *words], capture_output=True, text=True, timeout=TIME_LIMIT
        )
        if done.returncode:
            raise CompileError(done.stderr)


def record(
    program: Path, arguments: Sequence[EntryArgument], again: Sequence[Sequence[int | float | bool]] = ()
) -> dict[str, Any]:
    """Run an executable of `HostModel.program` on these arguments, tensors before scalars; the recorded run.

    Its ``problems`` are what would have ended the real run. For each element of ``again`` the entry is called once more
    with these scalars, to replay what is recorded; ``submissions`` are those of the first call.
    """
    lines = [_line(argument) for argument in arguments]
    for scalars in again:
        lines += ["again", *(_line(scalar) for scalar in scalars)]
    done = subprocess.run([str(program)], input="\n".join(lines), capture_output=True, text=True, timeout=TIME_LIMIT)
    recorded: dict[str, Any] = json.loads(done.stdout)
    return recorded


def bits_of(value: int | float | bool) -> int:
    """A scalar in its 64-bit slot: integers in two's complement, a float as single precision, zero-extended."""
    if isinstance(value, float):
        number: int = struct.unpack("<I", struct.pack("<f", value))[0]
        return number
    return int(value) & 0xFFFFFFFFFFFFFFFF


def _line(argument: EntryArgument) -> str:
    if isinstance(argument, TensorArgument):
        return " ".join(["tensor", argument.dtype, *(str(extent) for extent in argument.shape)])
    return f"scalar {bits_of(argument)}"
