"""``python -m pto_lsp`` is ``pto-lsp``."""

import sys

from pto_lsp.cli import main

if __name__ == "__main__":
    sys.exit(main())
