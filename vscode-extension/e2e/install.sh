#!/usr/bin/env bash
# Installs a complete VS Code workbench (the npm package code-server) into a cache folder, without its install scripts.
# A second run finds it there. Needs g++, make, python3 and the headers of Node in /usr/include/node.
set -euo pipefail
cache=${1:?cache folder}
version=4.96.4
stamp="$cache/installed-$version"
[ -f "$stamp" ] && exit 0
mkdir -p "$cache"
cd "$cache"
[ -f package.json ] || echo '{"private": true}' > package.json
npm install --ignore-scripts --no-audit --no-fund "code-server@$version" node-gyp
vscode="$cache/node_modules/code-server/lib/vscode"
cd "$vscode"
# It pins one dependency to a git address; the same package is on the registry.
rm -f npm-shrinkwrap.json
npm install --omit=dev --ignore-scripts --no-audit --no-fund
headers=$(dirname "$(dirname "$(command -v node)")")
[ -f "$headers/include/node/node.h" ] || headers=/usr
for module in @vscode/spdlog node-pty @parcel/watcher native-watchdog; do
  (cd "node_modules/$module" && "$cache/node_modules/.bin/node-gyp" rebuild --nodedir="$headers" > "$cache/build-$(basename "$module").log" 2>&1)
done
touch "$stamp"
