/** The panels of task graphs: one for each orchestration function, beside its file. */

import * as vscode from "vscode";
import type { Server } from "../server";
import type { GraphAnswer } from "./document";
import { GraphPanel } from "./panel";

export class GraphPanels implements vscode.Disposable {
  private readonly panels = new Set<GraphPanel>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly extension: vscode.Uri,
    private readonly server: Server,
  ) {
    const all = (act: (panel: GraphPanel) => void): void => this.panels.forEach(act);
    this.subscriptions = [
      // A change in any file can change a graph: kernels and helpers live in other modules.
      server.onDidChange(() => all((panel) => panel.refresh())),
      vscode.languages.onDidChangeDiagnostics(() => all((panel) => panel.refreshAlerts())),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, selections }) =>
        all((panel) => panel.follow(textEditor.document.uri, selections[0].active)),
      ),
    ];
  }

  /** Shows the graph of the function at the cursor; a panel that shows it already comes to the front. */
  async show(editor: vscode.TextEditor): Promise<void> {
    const uri = editor.document.uri;
    const { line, character } = editor.selection.active;
    const answer = await this.server.ask<GraphAnswer>("pto.taskGraph", uri.toString(), { position: { line, character } }, "json");
    if (!answer.graph || answer.selected === undefined) {
      void vscode.window.showInformationMessage(answer.message ?? "Nothing in this file launches tasks.");
      return;
    }
    const shown = [...this.panels].find((panel) => panel.shows(uri, answer.selected!));
    if (shown) {
      shown.reveal();
      shown.follow(uri, editor.selection.active);
      return;
    }
    const panel = new GraphPanel(this.extension, this.server, uri, answer.selected);
    this.panels.add(panel);
    panel.onDidDispose(() => this.panels.delete(panel));
    panel.follow(uri, editor.selection.active);
  }

  dispose(): void {
    this.subscriptions.forEach((each) => each.dispose());
    this.panels.forEach((panel) => panel.dispose());
  }
}
