import * as vscode from "vscode";
import type { ImportStrategy } from "./interpreter";
import { ID, OWN_SETTINGS } from "./names";
import { SERVER_SETTINGS } from "./serverSettings";

type Own = (typeof OWN_SETTINGS)[number];

function own<T>(name: Own): T | undefined {
  return vscode.workspace.getConfiguration(ID).get<T>(name);
}

/** The setting, with `~` and `${workspaceFolder}` replaced as people write them. */
export function interpreter(): string | undefined {
  const value = own<string | null>("interpreter")?.trim();
  if (!value) {
    return undefined;
  }
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  return value.replace(/^~(?=$|[\\/])/, process.env.HOME ?? process.env.USERPROFILE ?? "~").replaceAll("${workspaceFolder}", folder ?? "");
}

export function importStrategy(): ImportStrategy {
  return own<ImportStrategy>("importStrategy") ?? "fromEnvironment";
}

/** Whether a change asks for another server process. */
export function choosesServer(change: vscode.ConfigurationChangeEvent): boolean {
  return change.affectsConfiguration(`${ID}.interpreter`) || change.affectsConfiguration(`${ID}.importStrategy`);
}

/**
 * What the server is told of a folder: only what the user set, so that defaults do not hide the project's own file,
 * and never a compilation of what is not trusted.
 */
export function forServer(scope: vscode.Uri | undefined): Record<string, unknown> {
  const configuration = vscode.workspace.getConfiguration(ID, scope);
  const settings: Record<string, unknown> = {};
  for (const key of SERVER_SETTINGS) {
    const found = configuration.inspect(key);
    const isSet = found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
    if (isSet !== undefined) {
      settings[key] = configuration.get(key);
    }
  }
  if (!vscode.workspace.isTrusted) {
    settings["compile-on-save"] = false;
  }
  return settings;
}
