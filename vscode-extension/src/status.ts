import * as vscode from "vscode";
import { ID, TITLE } from "./names";

/** What the server tells of itself with the notification `pto/status`. */
export interface Health {
  health: "ok" | "warning" | "error";
  message?: string;
  busy?: boolean;
}

const SEVERITY = {
  ok: vscode.LanguageStatusSeverity.Information,
  warning: vscode.LanguageStatusSeverity.Warning,
  error: vscode.LanguageStatusSeverity.Error,
};

/** The item of the language status, in the corner of the window while a Python file is shown. */
export class Status implements vscode.Disposable {
  private readonly item = vscode.languages.createLanguageStatusItem(ID, { language: "python" });

  constructor() {
    this.item.name = TITLE;
    this.item.command = { command: "pto-lsp.showLog", title: "Show Log" };
  }

  starting(): void {
    this.item.busy = true;
    this.set("ok", `${TITLE}: starting`, "");
  }

  running(interpreter: string): void {
    this.item.busy = false;
    this.set("ok", TITLE, interpreter);
  }

  stopped(why: string): void {
    this.item.busy = false;
    this.set("error", `${TITLE}: not running`, why);
  }

  take(told: Health): void {
    this.item.busy = told.busy ?? false;
    this.set(told.health, told.message ? `${TITLE}: ${told.message}` : TITLE, this.item.detail ?? "");
  }

  dispose(): void {
    this.item.dispose();
  }

  private set(health: Health["health"], text: string, detail: string): void {
    this.item.severity = SEVERITY[health];
    this.item.text = text;
    this.item.detail = detail;
  }
}
