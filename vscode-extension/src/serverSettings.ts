/** Settings that go to the server as they are. Written by scripts/generate_extension_settings.py. */
export const SERVER_SETTINGS = [
  "target",
  "select",
  "ignore",
  "severity",
  "exclude",
  "search-paths",
  "conformance",
  "compile-on-save",
  "output-dir",
  "per-file-ignores",
  "code-lens",
  "inlay-hints",
] as const;
