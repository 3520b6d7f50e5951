import * as vscode from "vscode";
import type { Plain } from "../answers";
import type { Server } from "../server";
import type { GraphAnswer } from "./document";
import type { Format } from "./messages";

const ENDING: Record<Format, string> = { svg: "svg", dot: "dot", mermaid: "mmd", json: "json" };

/** Asks for a file and writes the graph there: the picture as it is shown, everything else as the server says it. */
export async function exportGraph(server: Server, source: vscode.Uri, name: string, format: Format, picture?: string): Promise<void> {
  const text = picture ?? (await told(server, source, name, format));
  const ending = ENDING[format];
  const file = name.replace(/[^\w.-]+/g, "_");
  const target = await vscode.window.showSaveDialog({
    title: "Export Task Graph",
    defaultUri: vscode.Uri.joinPath(source, "..", `${file}.${ending}`),
    filters: { [format.toUpperCase()]: [ending] },
  });
  if (target) {
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
    void vscode.window.showInformationMessage(`Wrote ${vscode.workspace.asRelativePath(target)}.`);
  }
}

async function told(server: Server, source: vscode.Uri, name: string, format: Format): Promise<string> {
  const ask = <T>(): Promise<T> => server.ask<T>("pto.taskGraph", source.toString(), { function: name }, format);
  if (format === "json") {
    return JSON.stringify((await ask<GraphAnswer>()).graph, null, 2) + "\n";
  }
  return (await ask<Plain>()).text ?? "";
}
