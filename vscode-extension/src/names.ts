/** Names that package.json and the code share. No dependency on the editor, so that a test can compare both. */

/** Identifier of the client, beginning of its settings and of its commands. The server's own commands begin with "pto.". */
export const ID = "pto-lsp";

export const TITLE = "PyPTO";

export const COMMANDS = [
  "pto-lsp.restart",
  "pto-lsp.compile",
  "pto-lsp.showGeneratedCpp",
  "pto-lsp.showLegalizedSource",
  "pto-lsp.showTaskGraph",
  "pto-lsp.showPeers",
  "pto-lsp.showReplayTable",
  "pto-lsp.explainRule",
  "pto-lsp.applyAllFixes",
  "pto-lsp.showSettings",
  "pto-lsp.printDebugInformation",
  "pto-lsp.showLog",
] as const;

export type CommandId = (typeof COMMANDS)[number];

/** Settings that the extension itself reads. */
export const OWN_SETTINGS = ["interpreter", "importStrategy", "trace.server"] as const;

/** True for PyPTO files; package.json shows buttons and menus by it. */
export const CONTEXT_IS_PYPTO = "pto-lsp.isPypto";
