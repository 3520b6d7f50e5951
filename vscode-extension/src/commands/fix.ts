import * as vscode from "vscode";
import type { Fixed } from "../answers";
import type { Server } from "../server";
import { count } from "./compile";

export async function applyAllFixes(server: Server, editor: vscode.TextEditor): Promise<void> {
  const { applied = 0, left = [], message } = await server.ask<Fixed>("pto.applyAllFixes", editor.document.uri.toString());
  const done = applied ? `Applied ${count(applied, "fix")}.` : "There is nothing to fix safely.";
  const rest = left.length ? ` ${count(left.length, "finding")} left: ${[...new Set(left)].join("; ")}` : "";
  void vscode.window.showInformationMessage(message ?? done + rest);
}
