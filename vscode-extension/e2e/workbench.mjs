/** A VS Code workbench with the packaged extension, in headless Chromium. */

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const WORKBENCH = process.env.PTO_E2E_WORKBENCH;
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const freePort = () =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

/** Opens a folder with the given files. `settings` are the machine's settings. */
export async function openWorkbench(files, settings, screenshots) {
  const scratch = mkdtempSync(join(tmpdir(), "pto-e2e-"));
  const [data, extensions, folder] = ["data", "extensions", "workspace"].map((name) => join(scratch, name));
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(data, "data", "Machine"), { recursive: true });
  mkdirSync(screenshots, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text);
  }
  writeFileSync(
    join(data, "data", "Machine", "settings.json"),
    JSON.stringify({ "workbench.startupEditor": "none", "editor.minimap.enabled": false, ...settings }),
  );
  const common = ["--accept-server-license-terms", "--server-data-dir", data, "--extensions-dir", extensions];
  const installed = spawnSync(
    process.execPath,
    ["out/server-main.js", ...common, "--install-extension", join(process.cwd(), "dist", "pto-lsp.vsix")],
    { cwd: WORKBENCH, encoding: "utf8" },
  );
  if (!/successfully installed/.test(installed.stdout)) {
    throw new Error(`the extension was not installed: ${installed.stdout}${installed.stderr}`);
  }
  const port = await freePort();
  const server = spawn(
    process.execPath,
    ["out/server-main.js", "--without-connection-token", "--host", "127.0.0.1", "--port", String(port), ...common, "--telemetry-level", "off"],
    { cwd: WORKBENCH, stdio: ["ignore", "pipe", "pipe"] },
  );
  await new Promise((resolve, reject) => {
    server.stdout.on("data", (chunk) => String(chunk).includes("Extension host agent listening") && resolve());
    server.on("exit", (code) => reject(new Error(`the workbench server ended with ${code}`)));
  });
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  page.setDefaultTimeout(20_000);
  await page.goto(`http://127.0.0.1:${port}/?folder=${folder}`);
  await page.waitForSelector(".monaco-workbench");
  await page.getByRole("button", { name: "Yes, I trust the authors" }).click();
  let shots = 0;
  return {
    page,
    folder,
    shoot: (name) => page.screenshot({ path: join(screenshots, `${String(++shots).padStart(2, "0")}-${name}.png`) }),
    openFile: async (name) => {
      await page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).dblclick();
      await page.waitForSelector(`.tab.active[data-resource-name="${name}"]`);
    },
    command: async (title) => {
      await page.keyboard.press("F1");
      await page.locator(".quick-input-box input").fill(`>${title}`);
      await page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first().click();
    },
    close: async () => {
      await browser.close();
      server.kill();
    },
  };
}
