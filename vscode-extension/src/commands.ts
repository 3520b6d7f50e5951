/** The commands of package.json. */

import * as vscode from "vscode";
import { compile } from "./commands/compile";
import { explainRule } from "./commands/explain";
import { applyAllFixes } from "./commands/fix";
import { printDebugInformation, showSettings } from "./commands/information";
import { showPeers } from "./commands/peers";
import { showReplayTable } from "./commands/replay";
import type { Position } from "./answers";
import { GraphPanels } from "./graph/panels";
import { COMMANDS, type CommandId } from "./names";
import type { Server } from "./server";
import { DerivedViews } from "./views/derived";
import { GENERATED, LEGALIZED } from "./views/kinds";
import { Pages } from "./views/page";

export function registerCommands(context: vscode.ExtensionContext, server: Server, log: vscode.LogOutputChannel): vscode.Disposable[] {
  const legalized = new DerivedViews(LEGALIZED, server);
  const generated = new DerivedViews(GENERATED, server);
  const graphs = new GraphPanels(context.extensionUri, server);
  const pages = new Pages();
  const handlers: Record<CommandId, (...args: never[]) => unknown> = {
    "pto-lsp.restart": () => server.restart(),
    "pto-lsp.compile": () => inEditor((editor) => compile(server, editor, () => generated.show(editor))),
    "pto-lsp.showGeneratedCpp": () => inEditor((editor) => generated.show(editor)),
    "pto-lsp.showLegalizedSource": () => inEditor((editor) => legalized.show(editor)),
    "pto-lsp.showTaskGraph": () => inEditor((editor) => graphs.show(editor)),
    "pto-lsp.showPeers": (uri?: string, position?: Position) => showPeers(server, uri, position),
    "pto-lsp.showReplayTable": () => inEditor((editor) => showReplayTable(server, editor, pages)),
    "pto-lsp.explainRule": () => explainRule(server, vscode.window.activeTextEditor, pages),
    "pto-lsp.applyAllFixes": () => inEditor((editor) => applyAllFixes(server, editor)),
    "pto-lsp.showSettings": () => inEditor((editor) => showSettings(server, editor, pages)),
    "pto-lsp.printDebugInformation": () => printDebugInformation(server, context, vscode.window.activeTextEditor, pages),
    "pto-lsp.showLog": () => log.show(),
  };
  const run = (id: CommandId) => async (...args: never[]): Promise<void> => {
    try {
      await handlers[id](...args);
    } catch (fault) {
      const message = fault instanceof Error ? fault.message : String(fault);
      log.error(`${id}: ${message}`);
      void vscode.window.showErrorMessage(message);
    }
  };
  return [legalized, generated, graphs, pages, ...COMMANDS.map((id) => vscode.commands.registerCommand(id, run(id)))];
}

/** Runs `act` on the editor with the Python file the command is meant for. */
async function inEditor(act: (editor: vscode.TextEditor) => Promise<void>): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== "python") {
    void vscode.window.showInformationMessage("Open a PyPTO file first.");
    return;
  }
  await act(editor);
}
