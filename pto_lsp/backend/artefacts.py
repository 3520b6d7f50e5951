"""What compiling one entry gives: files by name, and what has no code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.ir.place import Place
from pto_lsp.backend.orchestration.kernels import Kernel

MANIFEST = "kernel_config.py"


@dataclass(frozen=True, slots=True)
class Artefacts:
    """``files``: text by path relative to the output folder, with ``/``; all that could be made.

    ``findings`` (PTO007) are what is missing from them. ``kernels`` are all that the manifest names, whether there is a
    file for them or not. ``places``: for a file, what each of its lines was made from; files without are left out.
    """

    entry: str
    files: Mapping[str, str]
    findings: tuple[Finding, ...]
    kernels: tuple[Kernel, ...]
    places: Mapping[str, tuple[Place | None, ...]]

    @property
    def orchestration(self) -> str:
        """Path of the orchestration source, which ``files`` has unless it could not be made."""
        return f"orchestration/{self.entry}.cpp"

    @property
    def runs_tasks(self) -> bool:
        """Whether orchestration and manifest are there, with or without every kernel."""
        return MANIFEST in self.files
