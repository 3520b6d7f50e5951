import assert from "node:assert";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { TASKS, lineOf } from "./sources.mjs";
import { openWorkbench } from "./workbench.mjs";

let workbench;

before(async () => {
  const settings = { "pto-lsp.compile-on-save": true, "explorer.excludeGitIgnore": false };
  workbench = await openWorkbench("compile", { "tasks.py": TASKS }, { size: { width: 1600, height: 900 }, settings });
});

afterEach((context) => context.passed || workbench?.shoot("failed"));
after(() => workbench?.close());

const built = (name) => existsSync(join(workbench.folder, ".pto", name));

/** What the language status says when one looks at it. */
async function status(text) {
  await workbench.page.locator("#status\\.languageStatus").hover();
  await workbench.page.locator(".hover-language-status", { hasText: text }).first().waitFor();
}

test("saving compiles, and the status says so", async () => {
  const { page } = workbench;
  await workbench.openFile("tasks.py");
  await page.locator("[class*=squiggly-]").first().waitFor();
  assert.ok(!built("."));
  await workbench.goTo(lineOf(TASKS, "for i in pl.range(4)"));
  await page.keyboard.press("End");
  await page.keyboard.type("  # steps");
  await workbench.save("tasks.py");
  await page.locator(".explorer-folders-view .monaco-list-row", { hasText: ".pto" }).waitFor();
  await status("compiled main");
  await workbench.shoot("status");
  await page.keyboard.press("Escape");
  const name = workbench.files(".pto").find((each) => each.endsWith("orchestration/main.cpp"));
  assert.ok(name, "the orchestration was written");
});

test("the generated C++ follows the cursor and what is typed", async () => {
  const { page } = workbench;
  await workbench.goTo(lineOf(TASKS, "s = fill(x, s)"), 9);
  const view = page.locator(".editor-instance[aria-label*='generated']");
  await workbench.insist(
    () => workbench.command("PyPTO: Show Generated C++"),
    () => view.waitFor({ timeout: 10000 }),
  );
  await view.locator(".view-line", { hasText: "i < 4" }).waitFor();
  await workbench.shoot("orchestration");
  await workbench.goTo(lineOf(TASKS, "def fill"), 5);
  await view.locator(".view-line", { hasText: "TLOAD" }).waitFor();
  await workbench.shoot("kernel");
  await workbench.goTo(lineOf(TASKS, "for i in pl.range(4)"), "    for i in pl.range(4".length + 1);
  await page.keyboard.press("Backspace");
  await page.keyboard.type("7");
  await view.locator(".view-line", { hasText: "i < 7" }).waitFor();
  await workbench.command("File: Revert File");
  await view.locator(".view-line", { hasText: "i < 4" }).waitFor();
});

test("compiling on command answers with the folder", async () => {
  await workbench.command("PyPTO: Compile");
  const message = workbench.notification("Compiled to .pto");
  await message.getByRole("button", { name: "Show Generated C++" }).hover();
  await workbench.shoot("command");
});
