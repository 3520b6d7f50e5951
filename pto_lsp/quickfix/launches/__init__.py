"""Repairs of task launches: waits, loops, scopes and launch forms (spec of the rules: diagnostics.md)."""
