import { execFile } from "node:child_process";
import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";
import { choose, NoInterpreter, type Choice } from "./interpreter";
import { RestartQueue } from "./restart";

const ID = "pto-lsp";
const CHOOSE = "Choose Interpreter";
const SHOW_LOG = "Show Log";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("PyPTO", { log: true });
  const status = vscode.languages.createLanguageStatusItem(ID, { language: "python" });
  status.name = "PyPTO";
  status.command = { command: "pto-lsp.showLog", title: SHOW_LOG };
  const queue = new RestartQueue(() => restart(log, status));
  context.subscriptions.push(
    log,
    status,
    vscode.commands.registerCommand("pto-lsp.restart", () => queue.request()),
    vscode.commands.registerCommand("pto-lsp.showLog", () => log.show()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => queue.request()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("pto-lsp.interpreter")) {
        void queue.request();
      }
    }),
  );
  await queue.request();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function restart(log: vscode.LogOutputChannel, status: vscode.LanguageStatusItem): Promise<void> {
  await client?.dispose();
  client = undefined;
  status.busy = true;
  try {
    const choice = await choose({
      setting: setting(),
      pythonExtension,
      usable: (python) => usable(python, log),
    });
    log.info(`starting the server with ${choice.python} (${choice.origin})`);
    client = newClient(choice, log);
    await client.start();
    status.text = "PyPTO";
    status.detail = choice.python;
    status.severity = vscode.LanguageStatusSeverity.Information;
  } catch (fault) {
    const message = fault instanceof Error ? fault.message : String(fault);
    log.error(message);
    status.text = "PyPTO: not running";
    status.detail = message;
    status.severity = vscode.LanguageStatusSeverity.Error;
    void complain(message, fault instanceof NoInterpreter, log);
  } finally {
    status.busy = false;
  }
}

async function complain(message: string, choosable: boolean, log: vscode.LogOutputChannel): Promise<void> {
  const answer = await vscode.window.showErrorMessage(message, ...(choosable ? [CHOOSE, SHOW_LOG] : [SHOW_LOG]));
  if (answer === SHOW_LOG) {
    log.show();
  } else if (answer === CHOOSE) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "pto-lsp.interpreter");
  }
}

function setting(): string | undefined {
  return vscode.workspace.getConfiguration(ID).get<string | null>("interpreter") ?? undefined;
}

/** The path the Python extension answers with; undefined without that extension or a choice in it. */
async function pythonExtension(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension("ms-python.python");
  if (!extension) {
    return undefined;
  }
  const api = await extension.activate();
  const path: unknown = api?.environments?.getActiveEnvironmentPath?.(vscode.workspace.workspaceFolders?.[0]?.uri)?.path;
  return typeof path === "string" ? path : undefined;
}

function usable(python: string, log: vscode.LogOutputChannel): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(python, ["-m", "pto_lsp", "--version"], { timeout: 20_000 }, (fault, stdout, stderr) => {
      log.debug(`${python}: ${fault ? String(stderr || fault.message).trim() : stdout.trim()}`);
      resolve(!fault);
    });
  });
}

function newClient(choice: Choice, log: vscode.LogOutputChannel): LanguageClient {
  const server: ServerOptions = { command: choice.python, args: ["-m", "pto_lsp", "server"] };
  const options: LanguageClientOptions = {
    documentSelector: [{ language: "python" }],
    outputChannel: log,
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/{*.py,pyproject.toml,pto-lsp.toml}") },
    initializationOptions: { settings: {} },
  };
  return new LanguageClient(ID, "PyPTO", server, options);
}
