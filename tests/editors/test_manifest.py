"""The settings of the VS Code extension are those of the server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pto_lsp.config import KEYS, SWITCHES, Layer, Settings, resolve
from pto_lsp.config.schema import properties
from scripts.generate_extension_settings import MANIFEST, OWN, rendered

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def settings() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(MANIFEST.read_text(encoding="utf-8"))["contributes"]["configuration"][
        "properties"
    ]
    return found


@pytest.mark.parametrize(("path", "wanted"), rendered().items(), ids=lambda each: getattr(each, "name", ""))
def test_the_files_are_what_the_script_writes(path: Path, wanted: str) -> None:
    assert path.read_text(encoding="utf-8") == wanted, "run scripts/generate_extension_settings.py"


def test_every_setting_is_the_servers_or_the_extensions(settings: dict[str, dict[str, Any]]) -> None:
    assert set(settings) == {f"pto-lsp.{key}" for key in (*OWN, *KEYS, *SWITCHES)}


def test_the_defaults_are_the_servers() -> None:
    values = {key: schema["default"] for key, schema in properties().items()}
    set_by_hand, problems = resolve((Layer("editor", values),), "/folder")
    assert problems == ()
    assert set_by_hand == resolve((), "/folder")[0]


@pytest.mark.parametrize("key", KEYS)
def test_a_default_fits_its_schema(key: str) -> None:
    schema = properties()[key]
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(schema["default"], schema)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("target", "tensormap_and_ringbuffer"),
        ("target", "elsewhere"),
        ("select", ["PTO1", "ALL"]),
        ("select", ["E501"]),
        ("select", "PTO1"),
        ("severity", {"PTO1": "hint"}),
        ("severity", {"PTO1": "loud"}),
        ("severity", {"X1": "hint"}),
        ("exclude", ["a/", "b"]),
        ("exclude", [1]),
        ("conformance", "reference"),
        ("conformance", 1),
        ("compile-on-save", False),
        ("compile-on-save", "no"),
        ("output-dir", "out"),
        ("output-dir", None),
        ("per-file-ignores", {"tests/*": ["PTO3"]}),
        ("per-file-ignores", {"tests/*": "PTO3"}),
    ],
)
def test_the_editor_refuses_what_the_server_refuses(key: str, value: object) -> None:
    _, problems = resolve((Layer("editor", {key: value}),), "/folder")
    fits = jsonschema.Draft7Validator(properties()[key]).is_valid(value)
    assert fits == (not problems)


def test_settings_have_no_key_without_a_schema() -> None:
    fields = {name.replace("_", "-") for name in Settings.__dataclass_fields__} - {"root", "origins"}
    assert fields == set(properties())
