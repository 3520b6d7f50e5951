"""Conditions of rules that are judged on the IR directly; those of the Graph boundary and the task graph live there."""
