"""The typed intermediate representation of PyPTO programs."""
