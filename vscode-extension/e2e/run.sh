#!/usr/bin/env bash
# Runs the extension in a real VS Code workbench under headless Chromium and leaves screenshots in e2e/screenshots.
#   PTO_E2E_CACHE   where the workbench is installed (default: ~/.cache/pto-lsp-e2e)
#   PTO_E2E_PYTHON  interpreter with pto-lsp (default: a new virtual environment in the cache)
# Arguments name test files; without any it is all of them, one after the other.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
extension=$(dirname "$here")
cache=${PTO_E2E_CACHE:-$HOME/.cache/pto-lsp-e2e}
bash "$here/install.sh" "$cache/workbench"
if [ -z "${PTO_E2E_PYTHON:-}" ]; then
  [ -x "$cache/python/bin/python" ] || python3 -m venv "$cache/python"
  "$cache/python/bin/pip" install --quiet --force-reinstall --no-deps "$(dirname "$extension")"
  "$cache/python/bin/pip" install --quiet "$(dirname "$extension")"
  PTO_E2E_PYTHON="$cache/python/bin/python"
fi
command -v chromium > /dev/null || { apt-get update -qq && apt-get install -y -qq chromium; }
cd "$extension"
[ -d node_modules ] || npm ci --no-audit --no-fund
npm run --silent package > /dev/null
rm -rf e2e/screenshots
export PTO_E2E_PYTHON PTO_E2E_WORKBENCH="$cache/workbench/node_modules/code-server/lib/vscode"
[ $# -gt 0 ] || set -- e2e/*.test.mjs
status=0
timeout 540 node --test --test-concurrency=1 --test-reporter=spec "$@" || status=$?
echo "screenshots: $extension/e2e/screenshots"
exit "$status"
