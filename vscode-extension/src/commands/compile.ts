import { isAbsolute } from "node:path";
import * as vscode from "vscode";
import type { Compiled } from "../answers";
import type { Server } from "../server";

const SHOW = "Show Generated C++";
const REVEAL = "Reveal in Explorer";

export async function compile(server: Server, editor: vscode.TextEditor, showGenerated: () => Promise<void>): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    void vscode.window.showWarningMessage("Nothing is compiled in an untrusted workspace.");
    return;
  }
  await editor.document.save();
  const told = await server.ask<Compiled>("pto.compile", editor.document.uri.toString(), null);
  const problems = told.messages ?? [];
  const files = told.files ?? [];
  if (!told.outputDir || files.length === 0) {
    void vscode.window.showWarningMessage(told.message ?? problems[0] ?? "There is nothing to compile in this file.");
    return;
  }
  const folder = vscode.workspace.asRelativePath(told.outputDir);
  const message = `Compiled to ${folder}: ${count(files.length, "file")}.${problems.length ? ` ${problems.join(" ")}` : ""}`;
  const answer = await vscode.window.showInformationMessage(message, SHOW, REVEAL);
  if (answer === SHOW) {
    await showGenerated();
  } else if (answer === REVEAL && isAbsolute(told.outputDir)) {
    await vscode.commands.executeCommand("revealInExplorer", vscode.Uri.file(told.outputDir));
  }
}

export function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : what.endsWith("x") ? "es" : "s"}`;
}
