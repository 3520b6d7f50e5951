"""Repairs: plan and findings in, text edits out. Each fix is a module of its own."""
