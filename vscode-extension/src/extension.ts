import { existsSync } from "node:fs";
import * as vscode from "vscode";
import { registerCommands } from "./commands";
import { followPypto } from "./context";
import { createLog, TraceChannel } from "./logger";
import { onDidChooseInterpreter } from "./python";
import { Server } from "./server";
import { choosesServer } from "./settings";
import { Status } from "./status";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const channels = { log: createLog(), trace: new TraceChannel() };
  const status = new Status();
  const running = new Server(channels, status, bundledCopy(context));
  server = running;
  context.subscriptions.push(
    channels.log,
    channels.trace,
    status,
    running,
    followPypto(),
    ...registerCommands(context, running, channels.log),
    vscode.workspace.onDidGrantWorkspaceTrust(() => running.restart()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (choosesServer(change)) {
        void running.restart();
      }
    }),
  );
  await running.restart();
  const chosen = await onDidChooseInterpreter(() => void running.reconsider());
  if (chosen) {
    context.subscriptions.push(chosen);
  }
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

/** The folder with pto-lsp and its libraries, in packages made for one platform. */
function bundledCopy(context: vscode.ExtensionContext): string | undefined {
  const folder = context.asAbsolutePath("bundled");
  return existsSync(folder) ? folder : undefined;
}
