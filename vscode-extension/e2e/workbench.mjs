/** A VS Code workbench with the packaged extension, in headless Chromium. */

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { chromium } from "playwright-core";

const WORKBENCH = process.env.PTO_E2E_WORKBENCH;
const SCREENSHOTS = join("e2e", "screenshots");
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const SETTINGS = {
  "workbench.startupEditor": "none",
  "editor.minimap.enabled": false,
  "editor.hover.sticky": true,
  "files.simpleDialog.enable": true,
  "files.autoSave": "off",
  "pto-lsp.compile-on-save": false,
  "pto-lsp.interpreter": process.env.PTO_E2E_PYTHON,
};

const freePort = () =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

/**
 * Opens a folder with the given files.
 * @param {string} name begins the names of the screenshots
 * @param {Record<string, string>} files
 * @param {{settings?: object, trust?: boolean, size?: {width: number, height: number}}} options settings of the machine, over the usual ones
 */
export async function openWorkbench(name, files, { settings = {}, trust = true, size = { width: 1400, height: 900 } } = {}) {
  const scratch = mkdtempSync(join(tmpdir(), "pto-e2e-"));
  const [data, extensions, folder] = ["data", "extensions", "workspace"].map((each) => join(scratch, each));
  write(join(data, "data", "Machine", "settings.json"), JSON.stringify({ ...SETTINGS, ...settings }));
  mkdirSync(SCREENSHOTS, { recursive: true });
  mkdirSync(folder);
  for (const [file, text] of Object.entries(files)) {
    write(join(folder, file), text);
  }
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
  const page = await browser.newPage({ viewport: size });
  page.setDefaultTimeout(45_000);
  await page.goto(`http://127.0.0.1:${port}/?folder=${folder}`);
  await page.waitForSelector(".monaco-workbench");
  await page.getByRole("button", { name: trust ? "Yes, I trust the authors" : "No, I don't trust the authors" }).click();
  return new Workbench(name, page, folder, async () => {
    await browser.close();
    const ended = new Promise((resolve) => server.on("exit", resolve));
    server.kill();
    await ended;
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }, server.pid);
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

class Workbench {
  #shots = 0;

  constructor(name, page, folder, close, pid) {
    Object.assign(this, { name, page, folder, close, pid });
  }

  async shoot(what) {
    const number = String(++this.#shots).padStart(2, "0");
    await this.page.screenshot({ path: join(SCREENSHOTS, `${this.name}-${number}-${what}.png`) });
  }

  async openFile(name) {
    const { page } = this;
    const row = page.locator(".explorer-folders-view .monaco-list-row", { hasText: name });
    await row.dblclick();
    await page.waitForSelector(`.tab.active[data-resource-name="${name}"]`);
    // The click of an earlier row may still be on its way to the editor.
    await page.locator(`.editor-instance[aria-label*="${name}"] .view-line`).first().waitFor();
  }

  async command(title) {
    const box = this.page.locator(".quick-input-widget .input");
    const choice = this.page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first();
    // An editor that only now gets the focus closes the list again.
    await this.insist(
      () => this.page.keyboard.press("F1"),
      async () => {
        await box.fill(`>${title}`, { timeout: 5000 });
        await choice.click({ timeout: 5000 });
      },
    );
  }

  /** Where something is that may be drawn anew at any moment. */
  async box(locator) {
    for (;;) {
      await locator.waitFor();
      const found = await locator.boundingBox();
      if (found) return found;
    }
  }

  /** Does it again while nothing comes of it: a dialog or a list that is still filling drops what it is told. */
  async insist(action, outcome, attempts = 4) {
    for (let attempt = 1; ; attempt++) {
      await action();
      try {
        return await outcome();
      } catch (fault) {
        if (attempt === attempts) throw fault;
      }
    }
  }

  /** Puts the cursor of the active editor there; both count from 1. */
  async goTo(line, column = 1) {
    await this.page.keyboard.press("Control+g");
    await this.page.locator(".quick-input-widget .input").fill(`:${line}:${column}`);
    await this.page.keyboard.press("Enter");
    await this.cursorAt(line, column);
  }

  async cursorAt(line, column) {
    await this.page.locator("#status\\.editor\\.selection", { hasText: `Ln ${line}, Col ${column}` }).waitFor();
  }

  /** The line of the cursor, also in an editor without the focus. */
  async cursorInLine(line) {
    await this.page.locator(".line-numbers.active-line-number", { hasText: new RegExp(`^${line}$`) }).first().waitFor();
  }

  /** Saves as the user does, and answers the text on disk afterwards. */
  async save(name) {
    await this.page.keyboard.press("Control+s");
    return this.saved(name);
  }

  async saveAll() {
    await this.command("File: Save All");
    await this.page.locator(".tab.dirty").first().waitFor({ state: "detached" });
  }

  async saved(name) {
    await this.page.locator(`.tab.dirty[data-resource-name="${name}"]`).waitFor({ state: "detached" });
    return this.read(name);
  }

  read(name) {
    return readFileSync(join(this.folder, name), "utf8");
  }

  /** The text of a file that is about to be written. */
  async written(name) {
    for (let waited = 0; waited < 30_000; waited += 100) {
      const text = existsSync(join(this.folder, name)) ? this.read(name) : "";
      if (text) return text;
      await this.page.waitForTimeout(100);
    }
    throw new Error(`${name} is not written`);
  }

  /** Paths of all files below a folder of the workspace. */
  files(name) {
    return readdirSync(join(this.folder, name), { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath ?? each.path, each.name));
  }

  /** A line of the editor that holds the text. Its blanks are not those of the file. */
  line(text) {
    return this.page.locator(".view-line", { hasText: text });
  }

  notification(text) {
    return this.page.locator(".notification-toast", { hasText: text });
  }

  /** The document in the web view that is shown. */
  webview() {
    return this.page.frameLocator("iframe.webview.ready >> visible=true").frameLocator("#active-frame");
  }

  /** Identifiers of the language server's processes below this workbench. */
  languageServers() {
    const found = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    const read = (pid, what) => {
      try {
        return readFileSync(`/proc/${pid}/${what}`, "utf8");
      } catch {
        return "";
      }
    };
    const parent = (pid) => Number(/^PPid:\s*(\d+)/m.exec(read(pid, "status"))?.[1] ?? 0);
    const isBelow = (pid) => pid > 1 && (pid === this.pid || isBelow(parent(pid)));
    return found.map(Number).filter((pid) => /pto_lsp\0server/.test(read(pid, "cmdline")) && isBelow(pid));
  }
}
