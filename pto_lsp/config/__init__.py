"""Settings: what they are, where they come from, and what is wrong with them (rule-codes.md, "Configuration").

Values are layered, later layers win key by key: defaults, the nearest configuration file, the editor, the command line.
Every value remembers its origin for ``--show-settings``. A faulty value is reported as a `Problem` with its place and
its key keeps the value of the layer below.
"""

from pto_lsp.config.files import FILE_NAMES, OWN_FILE, SECTION
from pto_lsp.config.resolver import SettingsResolver
from pto_lsp.config.settings import KEYS, SWITCHES, Conformance, Layer, Problem, Settings, Target, describe, resolve

__all__ = [
    "FILE_NAMES",
    "KEYS",
    "OWN_FILE",
    "SECTION",
    "SWITCHES",
    "Conformance",
    "Layer",
    "Problem",
    "Settings",
    "SettingsResolver",
    "Target",
    "describe",
    "resolve",
]
