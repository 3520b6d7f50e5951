/** The language client: how the server is started, and what editor and server tell each other beyond the protocol. */

import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions, type StaticFeature } from "vscode-languageclient/node";
import type { Choice } from "./interpreter";
import { ID, TITLE } from "./names";
import { environmentWith } from "./python";
import { forServer } from "./settings";
import type { Health } from "./status";

export interface Channels {
  log: vscode.LogOutputChannel;
  trace: vscode.OutputChannel;
}

/** Documents of other schemes are views that the extension shows itself. */
const DOCUMENTS = ["file", "untitled"].map((scheme) => ({ scheme, language: "python" }));

const ANNOUNCEMENT: StaticFeature = {
  fillClientCapabilities: (capabilities) => {
    capabilities.experimental = { ...(capabilities.experimental as object | undefined), ptoStatus: true, ptoPeers: true };
  },
  initialize: () => undefined,
  getState: () => ({ kind: "static" }),
  clear: () => undefined,
};

export interface Reactions {
  onHealth: (health: Health) => void;
  /** A change of a document has been sent: questions from now on are about the new text. */
  onDidTell: () => void;
}

export function createClient(choice: Choice, channels: Channels, { onHealth, onDidTell }: Reactions): LanguageClient {
  const server: ServerOptions = {
    command: choice.python,
    args: ["-m", "pto_lsp", "server"],
    options: { env: environmentWith(choice.libraries) },
  };
  const options: LanguageClientOptions = {
    documentSelector: DOCUMENTS,
    outputChannel: channels.log,
    traceOutputChannel: channels.trace,
    initializationOptions: { settings: forServer(undefined), trusted: vscode.workspace.isTrusted },
    middleware: {
      didChange: async (event, next) => {
        await next(event);
        onDidTell();
      },
      workspace: {
        configuration: ({ items }) =>
          items.map(({ section, scopeUri }) => (section === ID ? forServer(scopeUri ? vscode.Uri.parse(scopeUri) : undefined) : null)),
      },
    },
  };
  const client = new LanguageClient(ID, TITLE, server, options);
  client.registerFeature(ANNOUNCEMENT);
  client.onNotification("pto/status", onHealth);
  return client;
}
