import * as vscode from "vscode";
import type { Peers, Position } from "../answers";
import type { Server } from "../server";

/** Lists the places of what a launch waits for and of what waits for it, in the text; at the cursor where nothing is given. */
export async function showPeers(server: Server, uri?: string, position?: Position): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const document = uri ?? editor?.document.uri.toString();
  const at = position ?? editor?.selection.active;
  if (document === undefined || at === undefined) {
    void vscode.window.showInformationMessage("Open a PyPTO file first.");
    return;
  }
  const where = { line: at.line, character: at.character };
  const { peers, message } = await server.ask<Peers>("pto.taskPeers", document, where);
  if (!peers?.length) {
    void vscode.window.showInformationMessage(message ?? "This task waits for nothing, and nothing waits for it.");
    return;
  }
  const locations = peers.map(({ uri: target, range: { start, end } }) => new vscode.Location(vscode.Uri.parse(target), new vscode.Range(start.line, start.character, end.line, end.character)));
  await vscode.commands.executeCommand("editor.action.peekLocations", vscode.Uri.parse(document), new vscode.Position(where.line, where.character), locations, "peek");
}
