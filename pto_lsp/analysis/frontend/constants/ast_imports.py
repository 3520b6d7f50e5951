"""Import statements."""

from __future__ import annotations

import ast

from pto_lsp.analysis.frontend.constants.ast_assignments import AstAssignments
from pto_lsp.analysis.frontend.constants.frame import Frame
from pto_lsp.analysis.frontend.constants.values import MISSING, OPEN, UNKNOWN, Library, ModuleRef, Value


class AstImports(AstAssignments):
    def import_(self, node: ast.Import, frame: Frame) -> None:
        for alias in node.names:
            parts = alias.name.split(".")
            root = value = self.world.import_module(frame.path, parts[0], 0, self.certain)
            for index in range(1, len(parts)):
                value = self._submodule(frame, value, ".".join(parts[: index + 1]), parts[index], 0)
            if value is UNKNOWN:
                self._missing_import()
            self.bind(alias.asname or parts[0], value if alias.asname else root, frame)

    def _submodule(self, frame: Frame, package: Value, dotted: str, name: str, level: int) -> Value:
        """Load a module of ``package``, of which it becomes an attribute."""
        value = self.world.import_module(frame.path, dotted, level, self.certain)
        if not isinstance(package, ModuleRef) or not isinstance(value, ModuleRef):
            return value
        if self.read_global(package.path, name) is MISSING:
            self.world.write(package.path, name, value)
        return value

    def _missing_import(self) -> None:
        self.unknown()
        self.import_doubts += 1

    def import_from(self, node: ast.ImportFrom, frame: Frame) -> None:
        module = self.world.import_module(frame.path, node.module or "", node.level, self.certain)
        if module is UNKNOWN:
            self._missing_import()
        for alias in node.names:
            if alias.name == "*":
                self.import_star(module, frame)
                continue
            value = self._imported(module, node, alias.name, frame)
            self.bind(alias.asname or alias.name, value, frame)

    def _imported(self, module: Value, node: ast.ImportFrom, name: str, frame: Frame) -> Value:
        if module is UNKNOWN:
            return UNKNOWN
        if isinstance(module, ModuleRef):
            value = self.read_global(module.path, name)
            if value is MISSING:
                dotted = f"{node.module}.{name}" if node.module else name
                value = self._submodule(frame, module, dotted, name, node.level)
                if value is UNKNOWN:
                    self._missing_import()
            return value
        return self.attribute(module, name)

    def import_star(self, module: Value, frame: Frame) -> None:
        """``from module import *``."""
        if isinstance(module, ModuleRef):
            for name, value in self.world.public(module.path).items():
                self.bind(name, value, frame)
        elif not isinstance(module, Library):
            frame.names[OPEN] = UNKNOWN
