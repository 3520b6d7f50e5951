import * as vscode from "vscode";
import { hasPythonExtension } from "./python";

const CHOOSE = "Choose Interpreter";
const SHOW_LOG = "Show Log";

/** Says once what is wrong, with a button for what to do about it. */
export async function complain(message: string, interpreter: boolean, log: vscode.LogOutputChannel): Promise<void> {
  const answer = await vscode.window.showErrorMessage(message, ...(interpreter ? [CHOOSE, SHOW_LOG] : [SHOW_LOG]));
  if (answer === SHOW_LOG) {
    log.show();
  } else if (answer === CHOOSE) {
    await chooseInterpreter();
  }
}

async function chooseInterpreter(): Promise<void> {
  const isSet = Boolean(vscode.workspace.getConfiguration("pto-lsp").get("interpreter"));
  // A setting wins over what is chosen in the Python extension, so that is where to go then.
  if (hasPythonExtension() && !isSet) {
    await vscode.commands.executeCommand("python.setInterpreter");
  } else {
    await vscode.commands.executeCommand("workbench.action.openSettings", "pto-lsp.interpreter");
  }
}
