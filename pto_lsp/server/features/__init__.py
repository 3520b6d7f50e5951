"""What an editor asks about one file besides findings: one module per request of the protocol."""
