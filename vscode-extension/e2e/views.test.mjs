import assert from "node:assert";
import { after, afterEach, before, test } from "node:test";
import { SCOPE, SCOPE_FIXED, lineOf } from "./sources.mjs";
import { openWorkbench } from "./workbench.mjs";

let workbench;

before(async () => {
  workbench = await openWorkbench("views", { "scope.py": SCOPE, "saved.py": SCOPE }, { size: { width: 1600, height: 900 }, settings: { "editor.codeActionsOnSave": { "source.fixAll.pto-lsp": "explicit" } } });
});

afterEach((context) => context.passed || workbench?.shoot("failed"));
after(() => workbench?.close());

test("the legalized source follows what is typed", async () => {
  const { page } = workbench;
  await workbench.openFile("scope.py");
  await page.locator("[class*=squiggly-]").first().waitFor();
  await workbench.command("PyPTO: Show Legalized Source");
  const view = page.locator(".editor-instance[aria-label*='legalized']");
  await view.locator(".view-line", { hasText: "64" }).first().waitFor();
  await workbench.shoot("legalized");
  await workbench.goTo(lineOf(SCOPE, "rows of this layer"));
  const line = SCOPE.split("\n")[lineOf(SCOPE, "rows of this layer") - 1];
  await workbench.goTo(lineOf(SCOPE, "rows of this layer"), line.indexOf("64") + 3);
  await page.keyboard.press("Backspace");
  await page.keyboard.type("2");
  await view.locator(".view-line", { hasText: "62" }).first().waitFor();
  await page.keyboard.press("Backspace");
  await page.keyboard.type("4");
  await view.locator(".view-line", { hasText: "64" }).first().waitFor();
  await workbench.shoot("legalized-typed");
});

test("the replay table", async () => {
  await workbench.goTo(lineOf(SCOPE, "rows of this layer"));
  await workbench.command("PyPTO: Show Replay Table");
  await workbench.webview().locator("h1", { hasText: "Replay of main" }).waitFor();
  await workbench.shoot("replay");
  await workbench.page.keyboard.press("Control+1");
});

test("debug information and the settings in force", async () => {
  const { page } = workbench;
  await workbench.command("PyPTO: Show Settings in Force");
  await workbench.line("compile-on-save = false").first().waitFor();
  await workbench.command("PyPTO: Print Debug Information");
  await workbench.line("workspace: trusted").first().waitFor();
  await workbench.line("Python 3").first().waitFor();
  await workbench.shoot("debug-information");
  assert.equal(await page.locator(".notification-toast").count(), 0);
});

test("fix all on save", async () => {
  const { page } = workbench;
  await workbench.openFile("saved.py");
  await page.locator(".squiggly-warning").first().waitFor();
  await workbench.goTo(1);
  await page.keyboard.type("#");
  await page.keyboard.press("Backspace");
  await page.locator('.tab.dirty[data-resource-name="saved.py"]').waitFor();
  assert.equal(await workbench.save("saved.py"), SCOPE_FIXED);
  await page.locator(".squiggly-warning").first().waitFor({ state: "detached" });
  await workbench.shoot("fixed-on-save");
});
