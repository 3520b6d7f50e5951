import { workspace } from "vscode";
import type { Generated, Legalized } from "../answers";
import type { Kind } from "./derived";

export const LEGALIZED: Kind = {
  scheme: "pto-lsp-legalized",
  title: (source) => `${source.replace(/\.py$/, "")} (legalized).py`,
  language: "python",
  comment: "#",
  followsCursor: false,
  fetch: async (server, source) => {
    const { text, message } = await server.ask<Legalized>("pto.legalizedSource", source.toString(), null);
    if (!text) {
      return { message: message ?? "Nothing to legalize in this file." };
    }
    return { text: message ? `# Note: ${message}\n${text}` : text };
  },
};

export const GENERATED: Kind = {
  scheme: "pto-lsp-generated",
  title: (source) => `${source.replace(/\.py$/, "")} (generated).cpp`,
  language: "cpp",
  comment: "//",
  followsCursor: true,
  fetch: async (server, source, position) => {
    const where = { line: position.line, character: position.character };
    const { path, text, line, message } = await server.ask<Generated>("pto.generatedCpp", source.toString(), where);
    if (!text) {
      return { message: message ?? "No C++ is generated for this file." };
    }
    return path ? { text: `// ${workspace.asRelativePath(path)}\n${text}`, line: (line ?? 0) + 1 } : { text, line };
  },
};
