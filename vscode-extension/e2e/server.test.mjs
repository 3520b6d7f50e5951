import assert from "node:assert";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, test } from "node:test";
import { SCOPE, TASKS, lineOf } from "./sources.mjs";
import { openWorkbench } from "./workbench.mjs";

let workbench;

afterEach(async (context) => {
  if (!context.passed) {
    await workbench?.shoot("failed");
  }
  await workbench?.close();
  workbench = undefined;
});

after(() => workbench?.close());

test("a server that is killed comes back", async () => {
  workbench = await openWorkbench("killed", { "scope.py": SCOPE });
  const { page } = workbench;
  await workbench.openFile("scope.py");
  await page.locator("[class*=squiggly-]").first().waitFor();
  const [first, ...others] = workbench.languageServers();
  assert.deepEqual(others, []);
  process.kill(first, "SIGKILL");
  await workbench.goTo(lineOf(SCOPE, "def main"));
  await page.keyboard.type("def broken(\n");
  await page.locator(".squiggly-error").first().waitFor();
  await workbench.shoot("back");
  const again = workbench.languageServers();
  assert.equal(again.length, 1);
  assert.notEqual(again[0], first);
});

test("an interpreter that does not work is one clear message", async () => {
  workbench = await openWorkbench("interpreter", { "scope.py": SCOPE }, { settings: { "pto-lsp.interpreter": "/no/such/python" } });
  const { page } = workbench;
  await workbench.openFile("scope.py");
  const message = workbench.notification('"/no/such/python", does not run or has no pto-lsp installed');
  const choose = message.getByRole("button", { name: "Choose Interpreter" });
  await choose.hover();
  await workbench.shoot("message");
  assert.equal(await page.locator(".notification-toast").count(), 1);
  await choose.click();
  await page.locator(".settings-editor .setting-item-label", { hasText: "Interpreter" }).first().waitFor();
  await workbench.shoot("settings");
  assert.deepEqual(workbench.languageServers(), []);
});

test("in an untrusted workspace files are checked and nothing is compiled", async () => {
  workbench = await openWorkbench("untrusted", { "tasks.py": TASKS }, { trust: false });
  const { page } = workbench;
  await workbench.openFile("tasks.py");
  await page.locator("[class*=squiggly-]").first().waitFor();
  await page.keyboard.press("F1");
  await page.locator(".quick-input-widget .input").fill(">PyPTO: ");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "PyPTO: Show Task Graph" }).first().waitFor();
  assert.equal(await page.locator(".quick-input-list .monaco-list-row", { hasText: "PyPTO: Compile" }).count(), 0);
  await page.keyboard.press("Escape");
  await workbench.goTo(1);
  await page.keyboard.type("#\n");
  await workbench.save("tasks.py");
  await workbench.command("PyPTO: Show Settings in Force");
  await workbench.line("compile-on-save = false").first().waitFor();
  await workbench.shoot("checked");
  assert.ok(!existsSync(join(workbench.folder, ".pto")));
});
