import * as vscode from "vscode";
import { CONTEXT_IS_PYPTO } from "./names";

const IMPORTS = /^\s*(?:import|from)\s+pypto\b/m;

export function isPypto(document: vscode.TextDocument): boolean {
  return document.languageId === "python" && IMPORTS.test(document.getText());
}

/** Keeps the context by which buttons and menus are shown in step with the active editor. */
export function followPypto(): vscode.Disposable {
  const update = (editor: vscode.TextEditor | undefined): void => {
    void vscode.commands.executeCommand("setContext", CONTEXT_IS_PYPTO, editor !== undefined && isPypto(editor.document));
  };
  update(vscode.window.activeTextEditor);
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveTextEditor(update),
    vscode.workspace.onDidSaveTextDocument((document) => {
      if (document === vscode.window.activeTextEditor?.document) {
        update(vscode.window.activeTextEditor);
      }
    }),
  );
}
