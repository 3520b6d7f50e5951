import * as vscode from "vscode";
import { TITLE } from "./names";

/** What the extension does and what the server writes. */
export function createLog(): vscode.LogOutputChannel {
  return vscode.window.createOutputChannel(TITLE, { log: true });
}

/** The channel of the protocol's trace, which is not listed before there is something in it. */
export class TraceChannel implements vscode.OutputChannel {
  readonly name = `${TITLE} Trace`;
  private channel: vscode.OutputChannel | undefined;

  private get open(): vscode.OutputChannel {
    return (this.channel ??= vscode.window.createOutputChannel(this.name));
  }

  append(value: string): void {
    this.open.append(value);
  }

  appendLine(value: string): void {
    this.open.appendLine(value);
  }

  replace(value: string): void {
    this.open.replace(value);
  }

  clear(): void {
    this.channel?.clear();
  }

  show(columnOrPreserveFocus?: vscode.ViewColumn | boolean, preserveFocus?: boolean): void {
    this.open.show(typeof columnOrPreserveFocus === "boolean" ? columnOrPreserveFocus : preserveFocus);
  }

  hide(): void {
    this.channel?.hide();
  }

  dispose(): void {
    this.channel?.dispose();
    this.channel = undefined;
  }
}
