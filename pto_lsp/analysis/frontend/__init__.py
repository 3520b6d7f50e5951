"""From syntax to IR: decorators, annotations, names, constants, lowering."""
