/** The Python extension, and whether an interpreter starts pto-lsp. */

import { execFile } from "node:child_process";
import { delimiter } from "node:path";
import * as vscode from "vscode";

const EXTENSION = "ms-python.python";

interface Environments {
  getActiveEnvironmentPath(resource?: vscode.Uri): { path: string } | undefined;
  onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
}

async function environments(): Promise<Environments | undefined> {
  const api: unknown = await vscode.extensions.getExtension(EXTENSION)?.activate();
  return (api as { environments?: Environments } | undefined)?.environments;
}

export function hasPythonExtension(): boolean {
  return vscode.extensions.getExtension(EXTENSION) !== undefined;
}

/** The interpreter chosen there; undefined without that extension or a choice in it. */
export async function chosenInterpreter(): Promise<string | undefined> {
  return (await environments())?.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri)?.path;
}

export async function onDidChooseInterpreter(react: () => void): Promise<vscode.Disposable | undefined> {
  return (await environments())?.onDidChangeActiveEnvironmentPath(react);
}

/** The environment of a process that takes modules from `libraries` first. */
export function environmentWith(libraries: string | undefined): NodeJS.ProcessEnv {
  if (libraries === undefined) {
    return process.env;
  }
  const rest = process.env.PYTHONPATH;
  return { ...process.env, PYTHONPATH: rest ? `${libraries}${delimiter}${rest}` : libraries };
}

// The server needs the compiled part of libcst and the protocol's types as well: an incomplete installation is none.
const PROBE = "import libcst.native, lsprotocol, pygls, pto_lsp; print('pto-lsp', pto_lsp.__version__)";

export function startsServer(python: string, libraries: string | undefined, log: vscode.LogOutputChannel): Promise<boolean> {
  const options = { timeout: 30_000, env: environmentWith(libraries) };
  return new Promise((resolve) => {
    execFile(python, ["-c", PROBE], options, (fault, stdout, stderr) => {
      const told = fault ? lastLine(String(stderr)) || fault.message : stdout.trim();
      log.info(`${python}${libraries ? " with the bundled copy" : ""}: ${told}`);
      resolve(!fault);
    });
  });
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}
