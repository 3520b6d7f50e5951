import assert from "node:assert";
import { after, afterEach, before, test } from "node:test";
import { EVERYTHING, lineOf } from "./sources.mjs";
import { openWorkbench } from "./workbench.mjs";

let workbench;
let graph;

before(async () => {
  workbench = await openWorkbench("graph-parts", { "everything.py": EVERYTHING }, { size: { width: 1900, height: 900 } });
  await workbench.openFile("everything.py");
  await workbench.page.locator(".codelens-decoration").first().waitFor();
  await workbench.command("View: Toggle Primary Side Bar Visibility");
  await workbench.goTo(lineOf(EVERYTHING, "flags = count(x, flags)"), 9);
  await workbench.command("PyPTO: Show Task Graph");
  graph = workbench.webview();
  await graph.locator(".node[data-name=count]").waitFor();
});

afterEach((context) => context.passed || workbench?.shoot("failed"));
after(() => workbench?.close());

const arrow = (kind) => graph.locator(`.arrows .arrow.${kind}`);

test("arms of a condition, a manual scope and a call of a helper are boxes", async () => {
  await workbench.shoot("opened");
  const titles = await graph.locator(".frame .title text").allTextContents();
  assert.deepEqual(titles.sort(), ["▾ else of: if n > 4", "▾ if n > 4", "▾ pl.manual_scope", "▾ pl.parallel i ×2", "▾ twice()"]);
  await graph.locator(".frame.inline .title").click();
  await graph.locator(".node.closed", { hasText: "twice()" }).waitFor();
  await graph.locator(".node.closed").click();
  await graph.locator(".frame.inline").waitFor();
});

test("a stall is a bar that leads to the read, with what it waits for", async () => {
  await graph.locator(".mark.stall").click();
  await workbench.cursorInLine(lineOf(EVERYTHING, "limit = pl.read"));
  await graph.locator("footer", { hasText: "what follows is submitted later" }).waitFor();
  await graph.locator("footer", { hasText: "Waits for" }).waitFor();
  await workbench.shoot("stall");
});

test("a cloud stands for what was not understood", async () => {
  await graph.locator(".mark.unknown", { hasText: "? del" }).click();
  await workbench.cursorInLine(lineOf(EVERYTHING, "del n"));
});

test("guards and opt-outs, those that are right when asked for", async () => {
  assert.equal(await arrow("guard").getAttribute("data-label"), "guard flags");
  assert.equal(await arrow("untracked").first().getAttribute("data-label"), "not tracked: WAW w ?");
  assert.equal(await arrow("verified").count(), 0);
  await graph.locator(".legend summary").click();
  await graph.getByLabel("opt-outs that are verified").check();
  await arrow("verified").first().waitFor({ state: "attached" });
  await workbench.shoot("claims");
  await graph.getByLabel("opt-outs that are verified").uncheck();
  await arrow("verified").first().waitFor({ state: "detached" });
  await graph.locator(".legend summary").click();
});

test("the longest chain stands out, and says what it counts", async () => {
  const chain = graph.locator("button.chain");
  assert.equal(await chain.textContent(), "longest chain");
  assert.match(await chain.getAttribute("title"), /a depth, not a time/);
  await chain.click();
  await graph.locator("svg.graph.show-chain").waitFor();
  const names = await graph.locator(".node.on-chain").evaluateAll((all) => all.map((each) => each.dataset.name));
  assert.deepEqual(names, ["put", "put", "second", "grid"]);
  await workbench.shoot("chain");
  await graph.locator(".node[data-name=m2]").click();
  await graph.locator("footer", { hasText: "slack 3" }).waitFor();
  await chain.click();
  await graph.locator("svg.graph:not(.show-chain)").waitFor();
});

test("a click on a code lens lists what the task waits for and what waits for it", async () => {
  const { page } = workbench;
  await page.locator(".codelens-decoration a", { hasText: "2 tasks: put, second" }).click();
  const list = page.locator(".peekview-title", { hasText: "Locations (3)" });
  await list.waitFor();
  await workbench.shoot("peers");
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "detached" });
});

test("in a light theme", async () => {
  await workbench.command("Preferences: Color Theme");
  await workbench.page.locator(".quick-input-widget .input").fill("Light Modern");
  await workbench.page.locator(".quick-input-list .monaco-list-row", { hasText: "Light Modern" }).first().click();
  await graph.locator('body[data-vscode-theme-name="Light Modern"]').waitFor();
  await workbench.page.keyboard.press("Escape");
  await workbench.shoot("light");
});
