/** The page in the panel: nothing is loaded but the two files of the extension. */

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

export function page(webview: vscode.Webview, extension: vscode.Uri): string {
  const nonce = randomBytes(16).toString("base64");
  const resource = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(extension, "dist", name)).toString();
  const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${resource("graph.css")}">
<title>Task Graph</title>
</head>
<body>
<script nonce="${nonce}" src="${resource("graph.js")}"></script>
</body>
</html>`;
}
