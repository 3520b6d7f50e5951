import assert from "node:assert";
import { after, afterEach, before, test } from "node:test";
import { TASKS, lineOf } from "./sources.mjs";
import { openWorkbench } from "./workbench.mjs";

let workbench;
let graph;

before(async () => {
  workbench = await openWorkbench("graph", { "tasks.py": TASKS }, { size: { width: 1600, height: 900 } });
});

afterEach((context) => context.passed || workbench?.shoot("failed"));
after(() => workbench?.close());

const node = (name) => graph.locator(`.node[data-name="${name}"]`);
const selected = (name) => graph.locator(`.node.selected[data-name="${name}"]`);

test("the graph of the function at the cursor: its tasks, its edges and the one that is missing", async () => {
  await workbench.openFile("tasks.py");
  await workbench.page.locator(".squiggly-warning, .squiggly-error").first().waitFor();
  await workbench.goTo(lineOf(TASKS, "s = fill(x, s)"), 9);
  await workbench.command("PyPTO: Show Task Graph");
  graph = workbench.webview();
  await node("fill").waitFor();
  await selected("fill").waitFor();
  await workbench.shoot("opened");
  assert.deepEqual(await graph.locator(".node").evaluateAll((all) => all.map((each) => each.dataset.name)), ["fill", "use", "use", "add"]);
  const arrows = await graph.locator(".arrows .arrow").evaluateAll((all) => all.map(({ dataset }) => [dataset.from, dataset.to, dataset.label]));
  assert.deepEqual(
    arrows.map((each) => each.join(" ")).sort(),
    ["n1 n1 WAW s i→i+1", "n1 n2 RAW s", "n2 n1 WAR s ? i→i+1", "n2 n2 WAW out i→i+1", "n2 n3 RAW out", "n3 n4 WAW last"].sort(),
  );
  assert.equal(await graph.locator(".arrows .arrow.missing").count(), 1);
  await graph.locator(".frame .title", { hasText: "pl.range i ×4" }).waitFor();
});

test("the cursor selects in the graph, and the graph moves the cursor", async () => {
  await workbench.goTo(lineOf(TASKS, "out = use(s, out)"));
  await selected("use").first().waitFor();
  await node("fill").click();
  await workbench.cursorInLine(lineOf(TASKS, "s = fill(x, s)"));
  await workbench.shoot("clicked");
});

test("by keyboard: arrows follow the lines, Enter goes to the text", async () => {
  const { page } = workbench;
  await page.keyboard.press("ArrowRight");
  await selected("use").waitFor();
  await workbench.cursorInLine(lineOf(TASKS, "out = use(s, out)"));
  await page.keyboard.press("ArrowRight");
  await workbench.cursorInLine(lineOf(TASKS, "last = use(out, last)"));
  await page.keyboard.press("Enter");
  await page.locator(".editor-instance.focused, .monaco-editor.focused").first().waitFor();
  await page.keyboard.press("Control+/");
  await graph.locator('.node[data-key="use#1"]').waitFor({ state: "detached" });
  await page.keyboard.press("Control+/");
  await graph.locator('.node[data-key="use#1"]').waitFor();
});

test("the graph follows what is typed and keeps what is selected", async () => {
  const { page } = workbench;
  await node("fill").click();
  await selected("fill").waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".monaco-editor.focused").first().waitFor();
  await workbench.goTo(lineOf(TASKS, "s = pl.create_tensor"));
  await page.keyboard.press("End");
  await page.keyboard.type("\nlast = use(x, last)");
  await graph.locator('.node[data-key="use#2"]').waitFor();
  await selected("use").first().waitFor();
  await page.keyboard.press("Home");
  await page.keyboard.type("def (");
  await page.locator(".squiggly-error").first().waitFor();
  await workbench.shoot("while-broken");
  assert.ok((await graph.locator(".node").count()) >= 3, "the graph stays while the text is broken");
  await workbench.command("File: Revert File");
  await graph.locator('.node[data-key="use#2"]').waitFor({ state: "detached" });
});

test("a loop closes into one node and opens again", async () => {
  await graph.locator(".frame .title").click();
  await graph.locator(".node.closed", { hasText: "2 launches, chained by" }).waitFor();
  await workbench.shoot("closed");
  await graph.locator(".node.closed").click();
  await node("fill").waitFor();
});

test("search finds tasks by name", async () => {
  const { page } = workbench;
  await graph.locator("input[type=search]").fill("us");
  await graph.locator(".found", { hasText: "2 found" }).waitFor();
  await page.keyboard.press("Enter");
  await graph.locator(".found", { hasText: "2 of 2" }).waitFor();
  await workbench.cursorInLine(lineOf(TASKS, "last = use(out, last)"));
  await page.keyboard.press("Escape");
});

test("legend, switches and the direction of time", async () => {
  await graph.locator(".legend summary").click();
  const mode = graph.getByLabel("lines, as in deps_viewer:");
  await mode.selectOption("full");
  await graph.locator(".arrows .arrow.redundant").first().waitFor({ state: "attached" });
  await workbench.shoot("legend");
  await mode.selectOption("reduced");
  await graph.locator(".arrows .arrow.redundant").first().waitFor({ state: "detached" });
  await graph.locator(".legend summary").click();
  const place = async (name) => (await node(name).first().boundingBox());
  assert.ok((await place("fill")).x < (await place("use")).x);
  const drawn = await graph.locator("svg.graph").getAttribute("data-ready");
  await graph.getByRole("button", { name: /Turn/ }).click();
  await graph.locator(`svg.graph:not([data-ready="${drawn}"])`).waitFor();
  assert.ok((await place("fill")).y < (await place("use")).y);
  await workbench.shoot("downwards");
  await graph.getByRole("button", { name: /Turn/ }).click();
  await graph.locator(`svg.graph:not([data-ready="${Number(drawn) + 1}"])`).waitFor();
});

test("two iterations of each loop, and all of them", async () => {
  const loops = graph.getByLabel("Loops");
  await loops.selectOption("iterations");
  await graph.locator(".frame.iteration .title", { hasText: "i + 1" }).waitFor();
  assert.equal(await node("fill").count(), 2);
  await workbench.shoot("iterations");
  await loops.selectOption("unrolled");
  await graph.locator(".frame.iteration .title", { hasText: "i = 3" }).waitFor();
  assert.equal(await node("fill").count(), 4);
  await node("fill").nth(2).click();
  await workbench.cursorInLine(lineOf(TASKS, "s = fill(x, s)"));
  await workbench.shoot("unrolled");
  await loops.selectOption("launches");
  await graph.locator(".frame.iteration").first().waitFor({ state: "detached" });
  assert.equal(await node("fill").count(), 1);
});

test("what a quick fix would do to the graph", async () => {
  await node("fill").click();
  await graph.locator("button.preview").first().click();
  await graph.locator(".notice", { hasText: "waits then: fill for use" }).waitFor();
  await graph.locator(".arrows .arrow.added").waitFor({ state: "attached" });
  await workbench.shoot("preview");
  await graph.getByRole("button", { name: "Back" }).click();
  await graph.locator(".arrows .arrow.added").waitFor({ state: "detached" });
});

test("exports", async () => {
  const { page } = workbench;
  const expected = {
    svg: /^<svg [^>]*viewBox="0 0 \d+ \d+"[\s\S]*>fill<\/text>[\s\S]*stroke-dasharray[\s\S]*<\/svg>\n$/,
    dot: /digraph[\s\S]*fill/,
    mermaid: /flowchart LR[\s\S]*fill/,
    json: /"function": "main"/,
  };
  const ending = { svg: "svg", dot: "dot", mermaid: "mmd", json: "json" };
  for (const [format, pattern] of Object.entries(expected)) {
    await graph.getByLabel("Export").selectOption(format);
    const box = page.locator(".quick-input-widget .input");
    await box.waitFor();
    await workbench.insist(() => page.keyboard.press("Enter"), () => box.waitFor({ state: "hidden", timeout: 5000 }));
    // The workbench shows no more than three messages in a short time, and keeps silent about the others.
    if (format === "svg") await workbench.notification("Wrote main.svg").waitFor();
    assert.match(await workbench.written(`main.${ending[format]}`), pattern);
  }
  await workbench.command("Notifications: Clear All Notifications");
});

test("dark, light and high contrast", async () => {
  for (const theme of ["Light Modern", "Light High Contrast", "Dark High Contrast", "Dark Modern"]) {
    await workbench.command("Preferences: Color Theme");
    await workbench.page.locator(".quick-input-widget .input").fill(theme);
    await workbench.page.locator(".quick-input-list .monaco-list-row", { hasText: theme }).first().click();
    await graph.locator(`body[data-vscode-theme-name="${theme}"]`).waitFor();
    await workbench.shoot(theme.toLowerCase().replaceAll(" ", "-"));
  }
});
