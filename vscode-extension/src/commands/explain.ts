import * as vscode from "vscode";
import type { Page } from "../answers";
import { ID } from "../names";
import type { Server } from "../server";
import type { Pages } from "../views/page";

const CODE = /^PTO\d{3}$/i;

/** Asks which rule; those that were found in this file come first, the one under the cursor at the top. */
export async function explainRule(server: Server, editor: vscode.TextEditor | undefined, pages: Pages): Promise<void> {
  const code = await pick(editor ? found(editor) : []);
  if (code === undefined) {
    return;
  }
  const { markdown, message } = await server.ask<Page>("pto.explain", code);
  if (!markdown) {
    void vscode.window.showInformationMessage(message ?? `There is no rule ${code}.`);
    return;
  }
  await pages.show(code.toUpperCase(), markdown);
}

function found(editor: vscode.TextEditor): vscode.QuickPickItem[] {
  const cursor = editor.selection.active;
  const diagnostics = vscode.languages
    .getDiagnostics(editor.document.uri)
    .filter((each) => each.source === ID)
    .sort((one, other) => Math.abs(one.range.start.line - cursor.line) - Math.abs(other.range.start.line - cursor.line));
  const items = new Map<string, vscode.QuickPickItem>();
  for (const each of diagnostics) {
    const label = codeOf(each);
    if (!items.has(label)) {
      items.set(label, { label, description: `line ${each.range.start.line + 1}`, detail: each.message.split("\n")[0] });
    }
  }
  return [...items.values()];
}

function codeOf({ code }: vscode.Diagnostic): string {
  return String(typeof code === "object" ? code.value : code);
}

function pick(items: vscode.QuickPickItem[]): Promise<string | undefined> {
  const picker = vscode.window.createQuickPick();
  picker.title = "Explain a rule";
  picker.placeholder = items.length ? "A rule found in this file, or any code such as PTO101" : "A code such as PTO101";
  picker.items = items;
  picker.matchOnDetail = true;
  picker.onDidChangeValue((value) => {
    const typed = value.trim();
    const known = items.some(({ label }) => label.toLowerCase() === typed.toLowerCase());
    picker.items = CODE.test(typed) && !known ? [{ label: typed.toUpperCase() }, ...items] : items;
  });
  return new Promise((resolve) => {
    picker.onDidAccept(() => {
      resolve(picker.selectedItems[0]?.label ?? (picker.value.trim() || undefined));
      picker.hide();
    });
    picker.onDidHide(() => {
      resolve(undefined);
      picker.dispose();
    });
    picker.show();
  });
}
