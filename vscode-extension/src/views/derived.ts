/** Read-only documents beside a source file, computed by the server and kept up to date while one types. */

import * as vscode from "vscode";
import { Latest } from "../latest";
import type { Server } from "../server";

export interface Shown {
  text: string;
  /** 0-based line to show. */
  line?: number;
}

export interface Kind {
  scheme: string;
  /** Name of the tab for a source file's name. */
  title: (source: string) => string;
  language: string;
  /** Begins a comment in the language. */
  comment: string;
  /** Whether the view depends on where the cursor is. */
  followsCursor: boolean;
  fetch: (server: Server, source: vscode.Uri, position: vscode.Position) => Promise<Shown | { message: string }>;
}

export class DerivedViews implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly views = new Map<string, View>();
  private readonly subscriptions: vscode.Disposable[];
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly kind: Kind,
    private readonly server: Server,
  ) {
    this.subscriptions = [
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(kind.scheme, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.views.delete(uri.toString())),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => kind.followsCursor && this.refreshOf(textEditor.document.uri)),
      // A change in any file can change a view: kernels and helpers live in other modules.
      server.onDidChange(() => this.views.forEach((view) => view.refresh())),
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.views.get(uri.toString())?.text ?? "";
  }

  /** Opens the view beside the editor, which keeps the focus. Says why when there is nothing to show. */
  async show(editor: vscode.TextEditor): Promise<void> {
    const source = editor.document.uri;
    const name = source.path.split("/").at(-1) ?? "";
    const uri = vscode.Uri.from({ scheme: this.kind.scheme, path: `/${this.kind.title(name)}`, query: source.toString() });
    const view = this.views.get(uri.toString()) ?? new View(this.kind, this.server, uri, source, this.changed);
    this.views.set(uri.toString(), view);
    const refusal = await view.first(editor.selection.active);
    if (refusal !== undefined) {
      this.views.delete(uri.toString());
      void vscode.window.showInformationMessage(refusal);
      return;
    }
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.languages.setTextDocumentLanguage(document, this.kind.language);
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: false });
    view.reveal();
  }

  dispose(): void {
    this.subscriptions.forEach((each) => each.dispose());
  }

  private refreshOf(source: vscode.Uri): void {
    for (const view of this.views.values()) {
      if (view.source.toString() === source.toString()) {
        view.refresh();
      }
    }
  }
}

class View {
  text = "";
  private good = "";
  private line: number | undefined;
  private shownLine: number | undefined;
  private readonly latest = new Latest(() => this.update());

  constructor(
    private readonly kind: Kind,
    private readonly server: Server,
    private readonly uri: vscode.Uri,
    readonly source: vscode.Uri,
    private readonly changed: vscode.EventEmitter<vscode.Uri>,
  ) {}

  refresh(): void {
    void this.latest.request();
  }

  /** Fetches the text before there is a tab; the reason when there is none. */
  async first(position: vscode.Position): Promise<string | undefined> {
    const found = await this.kind.fetch(this.server, this.source, position);
    if ("message" in found) {
      return found.message;
    }
    this.shownLine = undefined;
    this.take(found);
    this.changed.fire(this.uri);
    return undefined;
  }

  reveal(): void {
    const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === this.uri.toString());
    if (editor && this.line !== undefined && this.line !== this.shownLine && this.line < editor.document.lineCount) {
      this.shownLine = this.line;
      editor.revealRange(new vscode.Range(this.line, 0, this.line, 0), vscode.TextEditorRevealType.AtTop);
    }
  }

  private async update(): Promise<void> {
    const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === this.source.toString());
    const before = this.text;
    try {
      const found = await this.kind.fetch(this.server, this.source, editor?.selection.active ?? new vscode.Position(0, 0));
      if ("message" in found) {
        this.outdated(found.message);
      } else {
        this.take(found);
      }
    } catch (fault) {
      this.outdated(fault instanceof Error ? fault.message : String(fault));
    }
    if (this.text !== before) {
      this.changed.fire(this.uri);
    }
    this.reveal();
  }

  private take(found: Shown): void {
    this.text = this.good = found.text;
    this.line = found.line;
  }

  /** What was shown last is worth more than an empty page while a line is half typed, but it has to say so. */
  private outdated(why: string): void {
    this.text = `${this.kind.comment} Not up to date: ${why}\n${this.good}`;
  }
}
