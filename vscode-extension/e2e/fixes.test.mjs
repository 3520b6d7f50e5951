import assert from "node:assert";
import { after, afterEach, before, test } from "node:test";
import { LAYER, LAYER_FIXED, MODEL, MODEL_FIXED, SCOPE, SCOPE_FIXED, lineOf } from "./sources.mjs";
import { openWorkbench } from "./workbench.mjs";

let workbench;

before(async () => {
  const config = '[severity]\nPTO101 = "error"\n';
  workbench = await openWorkbench("fixes", { "layer.py": LAYER, "model.py": MODEL, "scope.py": SCOPE, "command.py": SCOPE, "pto-lsp.toml": config });
});

afterEach((context) => context.passed || workbench?.shoot("failed"));
after(() => workbench?.close());

test("a squiggle on the word, its message, and the quick fix that changes two files", async () => {
  const { page } = workbench;
  await workbench.openFile("layer.py");
  const squiggle = page.locator(".squiggly-error").first();
  await squiggle.waitFor();
  // They move the lines below them when they come.
  await page.locator(".codelens-decoration", { hasText: "tensors" }).waitFor();
  await page.locator(".codelens-decoration", { hasText: "waits for" }).waitFor();
  await workbench.shoot("squiggle");

  const word = workbench.line("rows of this layer").locator("span", { hasText: "base" }).last();
  const [mark, text] = [await workbench.box(squiggle), await workbench.box(word)];
  assert.ok(Math.abs(mark.y - text.y) < 6, "the squiggle is on the line of the binding");
  assert.ok(mark.x >= text.x - 4 && mark.x + mark.width <= text.x + text.width + 4, "and under the name");

  await workbench.goTo(lineOf(LAYER, "rows of this layer"));
  await page.keyboard.press("F8");
  await page.locator(".marker-widget", { hasText: "base" }).first().waitFor();
  await workbench.shoot("message");
  await page.keyboard.press("Escape");

  await page.locator("[class*=lightbulb], .lightBulbWidget").locator("visible=true").first().waitFor();
  await page.keyboard.press("Control+.");
  const fix = page.locator(".action-widget .monaco-list-row", { hasText: "Hoist 'base' to call site" });
  await fix.waitFor();
  await workbench.shoot("light-bulb");
  // It is the preferred one, so it has the focus.
  assert.match((await fix.getAttribute("class")) ?? "", /focused/);
  await page.keyboard.press("Enter");
  await workbench.line("base: pl.Scalar").waitFor();
  await squiggle.waitFor({ state: "detached" });
  await workbench.shoot("fixed-layer");

  await workbench.saveAll();
  await workbench.openFile("model.py");
  await workbench.line("rows of this layer").waitFor();
  await workbench.shoot("fixed-model");
  assert.equal(workbench.read("layer.py"), LAYER_FIXED);
  assert.equal(workbench.read("model.py"), MODEL_FIXED);
});

test("the page of the rule under the cursor", async () => {
  const { page } = workbench;
  await workbench.openFile("scope.py");
  await page.locator(".squiggly-error").first().waitFor();
  const line = lineOf(SCOPE, "rows of this layer");
  await workbench.goTo(line, SCOPE.split("\n")[line - 1].indexOf("base") + 1);
  await page.keyboard.press("Control+k");
  await page.keyboard.press("Control+i");
  const hover = page.locator(".monaco-hover", { hasText: "PTO101" }).first();
  await hover.waitFor();
  assert.match(await hover.innerText(), /base/);
  await workbench.shoot("hover");
  await page.keyboard.press("Escape");

  await workbench.command("PyPTO: Explain Rule");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "PTO101" }).first().waitFor();
  await workbench.shoot("explain-which");
  await page.keyboard.press("Enter");
  await workbench.webview().locator("h1", { hasText: "PTO101" }).waitFor();
  await workbench.shoot("explain");
  await page.keyboard.press("Control+1");
});

test("what the analysis knows of a launch, in the hover", async () => {
  const { page } = workbench;
  const line = lineOf(SCOPE, "c = shift(a, c, base)");
  await workbench.goTo(line, SCOPE.split("\n")[line - 1].indexOf("shift") + 1);
  await page.keyboard.press("Control+k");
  await page.keyboard.press("Control+i");
  const hover = page.locator(".monaco-hover", { hasText: "shift" }).first();
  await hover.hover();
  await workbench.shoot("hover-launch");
  await page.keyboard.press("Escape");
});

test("a quick fix in one file, and undo", async () => {
  const { page } = workbench;
  await workbench.goTo(lineOf(SCOPE, "rows of this layer"), 14);
  await page.keyboard.press("Control+.");
  await page.locator(".action-widget .monaco-list-row.focused", { hasText: "Hoist" }).waitFor();
  await page.keyboard.press("Enter");
  const squiggle = page.locator(".squiggly-error");
  await squiggle.first().waitFor({ state: "detached" });
  assert.equal(await workbench.save("scope.py"), SCOPE_FIXED);
  await page.keyboard.press("Control+z");
  await squiggle.first().waitFor();
  assert.equal(await workbench.save("scope.py"), SCOPE);
});

test("all safe fixes on command", async () => {
  const { page } = workbench;
  await workbench.openFile("command.py");
  await page.locator(".squiggly-error").first().waitFor();
  await workbench.command("PyPTO: Apply All Safe Fixes");
  await workbench.notification("Applied 1 fix").waitFor();
  await workbench.shoot("fixed-on-command");
  assert.equal(await workbench.save("command.py"), SCOPE_FIXED);
});
