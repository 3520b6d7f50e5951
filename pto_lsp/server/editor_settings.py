"""Settings that the editor holds, by workspace folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from pto_lsp.config import KEYS, SECTION, SWITCHES, Layer


class EditorSettings:
    """The layer of each folder; outside all folders, and where nothing is known of a folder, that of the editor."""

    def __init__(self, options: Any = None) -> None:
        """``options`` are the client's ``initializationOptions``: the settings, or an object that holds them."""
        self._everywhere = _layer("editor", options)
        self._folders: dict[str, Layer] = {}
        self._switches: dict[str | None, dict[str, bool]] = {None: _switches(options)}

    def set(self, folder: str | None, settings: Any) -> bool:
        """Take the settings of a folder (absolute path), None for everywhere; False when they are the old ones.

        A client that knows nothing of our section answers null; what it said at the beginning then stays.
        """
        if settings is None:
            return False
        self._switches[folder] = _switches(settings)
        if folder is None:
            before, self._everywhere = self._everywhere, _layer("editor", settings)
            return before.values != self._everywhere.values
        layer = _layer(f"editor ({folder})", settings)
        old = self._folders.get(folder, self._everywhere)
        self._folders[folder] = layer
        return old.values != layer.values

    @property
    def state(self) -> dict[str, Any]:
        """All there is to know, as JSON."""
        return {
            "everywhere": dict(self._everywhere.values),
            "folders": {folder: dict(layer.values) for folder, layer in self._folders.items()},
        }

    @staticmethod
    def of_state(state: Mapping[str, Any]) -> EditorSettings:
        """What `state` was taken of."""
        made = EditorSettings(state["everywhere"])
        for folder, values in state["folders"].items():
            made.set(folder, values)
        return made

    def layer_for(self, path: str) -> Layer | None:
        folder = self._folder_of(path)
        return self._everywhere if folder is None else self._folders[folder]

    @property
    def switches(self) -> dict[str | None, dict[str, bool]]:
        """What is switched on or off, by folder."""
        return {folder: dict(values) for folder, values in self._switches.items()}

    def is_on(self, path: str, switch: str) -> bool:
        """Whether one of `SWITCHES` is on for a file."""
        own = self._switches.get(self._folder_of(path), {})
        return own.get(switch, self._switches[None].get(switch, SWITCHES[switch]))

    def _folder_of(self, path: str) -> str | None:
        best: str | None = None
        for folder in self._folders:
            inside = path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
            if inside and (best is None or len(folder) > len(best)):
                best = folder
        return best


def is_trusted(options: Any) -> bool:
    """Whether the user trusts the workspace, as far as ``initializationOptions`` say: ``trusted``, true by default.

    Where not, code is checked and never compiled.
    """
    return not isinstance(options, Mapping) or options.get("trusted") is not False


def _layer(name: str, settings: Any) -> Layer:
    """Only our keys: an editor extension keeps settings of its own in the same section. Null means not set."""
    values = _section(settings)
    return Layer(name, {key: values[key] for key in KEYS if values.get(key) is not None})


def _switches(settings: Any) -> dict[str, bool]:
    values = _section(settings)
    return {key: values[key] for key in SWITCHES if isinstance(values.get(key), bool)}


def _section(settings: Any) -> Mapping[str, Any]:
    for wrapper in ("settings", SECTION):
        if isinstance(settings, Mapping) and isinstance(settings.get(wrapper), Mapping):
            settings = settings[wrapper]
    return settings if isinstance(settings, Mapping) else {}
