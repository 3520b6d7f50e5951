/** The task graph of one function, in a web view that is kept in step with the text. */

import * as vscode from "vscode";
import { ID } from "../names";
import { Latest } from "../latest";
import type { Server } from "../server";
import type { GraphAnswer, GraphDocument, GraphView, Place, Previews } from "./document";
import { exportGraph } from "./export";
import type { FromPage, ToPage } from "./messages";
import { page } from "./page";
import { alerts, nodesAt, problemsOf, type Problem } from "./places";

export class GraphPanel implements vscode.Disposable {
  private readonly panel: vscode.WebviewPanel;
  private readonly latest = new Latest(() => this.update());
  private graph: GraphDocument | undefined;
  private shownAlerts = "{}";
  private cursor: { uri: vscode.Uri; position: vscode.Position } | undefined;
  readonly onDidDispose: vscode.Event<void>;

  constructor(
    extension: vscode.Uri,
    private readonly server: Server,
    private readonly uri: vscode.Uri,
    private name: string,
  ) {
    const where = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    this.panel = vscode.window.createWebviewPanel("pto-lsp.graph", title(name), where, {
      enableScripts: true,
      localResourceRoots: [vscode.Uri.joinPath(extension, "dist")],
    });
    this.panel.iconPath = vscode.Uri.joinPath(extension, "images", "icon.png");
    this.onDidDispose = this.panel.onDidDispose;
    this.panel.webview.onDidReceiveMessage((message: FromPage) => this.receive(message));
    this.panel.webview.html = page(this.panel.webview, extension);
  }

  shows(uri: vscode.Uri, name: string): boolean {
    return this.uri.toString() === uri.toString() && this.name === name;
  }

  reveal(): void {
    this.panel.reveal(undefined, true);
  }

  refresh(): void {
    void this.latest.request();
  }

  /** Marks the launches at the cursor. */
  follow(uri: vscode.Uri, position: vscode.Position): void {
    this.cursor = { uri, position };
    if (this.graph) {
      this.send({ type: "select", nodes: nodesAt(this.graph, uri.toString(), position) });
    }
  }

  refreshAlerts(): void {
    if (this.graph && JSON.stringify(this.alerts(this.graph)) !== this.shownAlerts) {
      this.sendGraph(this.graph, []);
    }
  }

  dispose(): void {
    this.panel.dispose();
  }

  private functions: string[] = [];
  private view: GraphView = "launches";
  private tasks: number | null = null;
  private note: string | undefined;

  private async update(): Promise<void> {
    try {
      const answer = await this.server.ask<GraphAnswer>("pto.taskGraph", this.uri.toString(), { function: this.name }, "json", this.view, this.tasks);
      if (answer.graph) {
        this.note = answer.message;
        this.sendGraph(answer.graph, answer.functions ?? []);
      } else {
        this.send({ type: "outdated", why: answer.message ?? "There is no task graph." });
      }
    } catch (fault) {
      this.send({ type: "outdated", why: fault instanceof Error ? fault.message : String(fault) });
    }
  }

  private sendGraph(graph: GraphDocument, functions: string[]): void {
    this.graph = graph;
    if (functions.length) {
      this.functions = functions;
    }
    const found = this.alerts(graph);
    this.shownAlerts = JSON.stringify(found);
    this.send({ type: "graph", functions: this.functions, selected: this.name, graph, alerts: found, note: this.note });
    if (this.cursor) {
      this.follow(this.cursor.uri, this.cursor.position);
    }
  }

  private alerts(graph: GraphDocument): Record<string, string[]> {
    return alerts(graph, this.uri.toString(), this.problems());
  }

  private problems(): Problem[] {
    return vscode.languages
      .getDiagnostics(this.uri)
      .filter((each) => each.source === ID && each.severity <= vscode.DiagnosticSeverity.Warning)
      .map(({ range, message }) => ({ at: range.start, message: message.split("\n")[0] }));
  }

  private async preview(node: string, number: number): Promise<void> {
    const problem = this.graph && problemsOf(this.graph, this.uri.toString(), this.problems())[node]?.[number];
    if (problem) {
      const { line, character } = problem.at;
      const answer = await this.server.ask<Previews>("pto.previewFixes", this.uri.toString(), { line, character });
      this.send({ type: "preview", preview: answer.previews?.find((each) => each.function === this.graph?.function) });
    }
  }

  private send(message: ToPage): void {
    void this.panel.webview.postMessage(message);
  }

  private async receive(message: FromPage): Promise<void> {
    switch (message.type) {
      case "ready":
        return this.refresh();
      case "reveal":
        return this.jump(message.place, message.focus);
      case "function":
        this.name = message.name;
        this.panel.title = title(message.name);
        return this.refresh();
      case "preview":
        return this.preview(message.node, message.number);
      case "view":
        this.view = message.view;
        this.tasks = message.tasks ?? null;
        return this.refresh();
      case "export":
        return exportGraph(this.server, this.uri, this.name, message.format, message.text);
    }
  }

  private async jump({ uri, range }: Place, focus: boolean): Promise<void> {
    if (uri === undefined || range === undefined) {
      return;
    }
    const target = vscode.Uri.parse(uri);
    const document = await vscode.workspace.openTextDocument(target);
    const shown = vscode.window.visibleTextEditors.find((editor) => editor.document === document)?.viewColumn;
    const other = vscode.window.visibleTextEditors.find((editor) => editor.viewColumn !== this.panel.viewColumn)?.viewColumn;
    const start = new vscode.Position(range.start.line, range.start.character);
    await vscode.window.showTextDocument(document, {
      viewColumn: shown ?? other ?? vscode.ViewColumn.One,
      preserveFocus: !focus,
      selection: new vscode.Range(start, start),
    });
  }
}

function title(name: string): string {
  return `Tasks: ${name}`;
}
