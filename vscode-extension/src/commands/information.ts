import * as vscode from "vscode";
import type { Plain } from "../answers";
import { TITLE } from "../names";
import type { Server } from "../server";
import type { Pages } from "../views/page";

/** Everything a report of a fault should hold. Also when no server runs: that is when it is needed. */
export async function printDebugInformation(
  server: Server,
  context: vscode.ExtensionContext,
  editor: vscode.TextEditor | undefined,
  pages: Pages,
): Promise<void> {
  const { version } = context.extension.packageJSON as { version: string };
  const uri = editor?.document.languageId === "python" ? editor.document.uri.toString() : null;
  const told = await server.ask<Plain>("pto.printDebugInformation", uri).catch((fault: Error) => ({ text: fault.message }));
  const lines = [
    `extension: ${TITLE} ${version}`,
    `editor: ${vscode.env.appName} ${vscode.version} on ${process.platform} ${process.arch}`,
    `interpreter: ${server.interpreter ?? "none"}`,
    `workspace: ${vscode.workspace.isTrusted ? "trusted" : "not trusted"}, ${vscode.workspace.workspaceFolders?.length ?? 0} folders`,
    "",
    told.text ?? "",
  ];
  await pages.showText("PyPTO debug information", lines.join("\n"));
}

export async function showSettings(server: Server, editor: vscode.TextEditor, pages: Pages): Promise<void> {
  const { text, message } = await server.ask<Plain>("pto.showSettings", editor.document.uri.toString());
  const name = editor.document.uri.path.split("/").at(-1) ?? "";
  await pages.showText(`${name} (settings)`, text ?? message ?? "");
}
