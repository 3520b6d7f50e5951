import * as vscode from "vscode";
import type { Page } from "../answers";
import type { Server } from "../server";
import type { Pages } from "../views/page";

export async function showReplayTable(server: Server, editor: vscode.TextEditor, pages: Pages): Promise<void> {
  const { line, character } = editor.selection.active;
  const { markdown, message } = await server.ask<Page>("pto.replayTable", editor.document.uri.toString(), { line, character });
  if (!markdown) {
    void vscode.window.showInformationMessage(message ?? "Nothing is recorded in this file.");
    return;
  }
  const name = editor.document.uri.path.split("/").at(-1) ?? "";
  await pages.show(`${name} (replay)`, markdown);
}
