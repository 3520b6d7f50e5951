"""Values of module-level Python names, found without executing user code."""
