"""pto-lsp: language server and checker for PyPTO task-graph programs."""

__version__ = "0.1.0"
