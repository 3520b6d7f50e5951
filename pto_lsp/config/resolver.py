"""Which settings apply to which file."""

from __future__ import annotations

import os
from collections.abc import Callable

from pto_lsp.config.files import file_in, load
from pto_lsp.config.settings import Layer, Problem, Settings, resolve


class SettingsResolver:
    """Settings by file, with the files read once. Not thread-safe: one owner at a time."""

    def __init__(
        self,
        working_directory: str,
        command_line: Layer | None = None,
        editor: Callable[[str], Layer | None] | None = None,
    ) -> None:
        """``editor`` gives the editor's layer for a file path; None where there is no editor."""
        self._working_directory = working_directory
        self._command_line = command_line
        self._editor = editor
        self._nearest: dict[str, str | None] = {}
        self._loaded: dict[str, tuple[Layer, tuple[Problem, ...]]] = {}
        self._settings: dict[tuple[str, str | None], tuple[Settings, tuple[Problem, ...]]] = {}

    def for_file(self, path: str) -> Settings:
        """``path`` is absolute, or an opaque document key, which gets the settings of the working directory."""
        return self._resolved(path)[0]

    def problems(self, path: str) -> tuple[Problem, ...]:
        """What is wrong with the settings that apply to ``path``."""
        return self._resolved(path)[1]

    def file_for(self, path: str) -> str | None:
        """The configuration file that applies to ``path``."""
        return self._nearest_to(os.path.dirname(path) if os.path.isabs(path) else self._working_directory)

    def forget(self) -> None:
        """Configuration files or editor settings have changed: read them again when next asked."""
        self._nearest.clear()
        self._loaded.clear()
        self._settings.clear()

    def _nearest_to(self, directory: str) -> str | None:
        if directory not in self._nearest:
            file = file_in(directory)
            parent = os.path.dirname(directory)
            if file is None and parent != directory:
                file = self._nearest_to(parent)
            self._nearest[directory] = file
        return self._nearest[directory]

    def _resolved(self, path: str) -> tuple[Settings, tuple[Problem, ...]]:
        file = self.file_for(path)
        editor = self._editor(path) if self._editor is not None else None
        key = (editor.name if editor is not None else "", file)
        found = self._settings.get(key)
        if found is None:
            layers: list[Layer] = []
            problems: tuple[Problem, ...] = ()
            if file is not None:
                if file not in self._loaded:
                    self._loaded[file] = load(file)
                layer, problems = self._loaded[file]
                layers.append(layer)
            layers.extend(layer for layer in (editor, self._command_line) if layer is not None)
            settings, more = resolve(tuple(layers), self._working_directory)
            found = self._settings[key] = (settings, problems + more)
        return found
