/** Takes the pictures of the README: `npm run pictures`. They go to images/. */

import { join } from "node:path";
import { EVERYTHING, LAYER, MODEL, TASKS, lineOf } from "./sources.mjs";
import { openWorkbench } from "./workbench.mjs";

const files = { "layer.py": LAYER, "model.py": MODEL, "tasks.py": TASKS, "everything.py": EVERYTHING, "pto-lsp.toml": '[severity]\nPTO101 = "error"\n' };
const workbench = await openWorkbench("pictures", files, { size: { width: 1180, height: 680 } });
const { page } = workbench;
const picture = async (name, clip) => {
  // Away from everything that shows a tip.
  await page.mouse.move(24, 500);
  await page.locator(".workbench-hover").first().waitFor({ state: "detached" });
  await page.screenshot({ path: join("images", `${name}.png`), clip });
};
try {
  await workbench.command("View: Toggle Primary Side Bar Visibility");
  await page.keyboard.press("Control+p");
  await page.locator(".quick-input-widget .input").fill("layer.py");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "layer.py" }).first().click();
  await page.locator(".squiggly-error").first().waitFor();
  await workbench.goTo(lineOf(LAYER, "rows of this layer"), 5);
  await page.keyboard.press("Control+.");
  await page.locator(".action-widget .monaco-list-row.focused", { hasText: "Hoist" }).waitFor();
  await picture("quick-fix", { x: 48, y: 35, width: 760, height: 500 });
  await page.keyboard.press("Escape");

  await workbench.command("PyPTO: Show Legalized Source");
  await page.locator(".editor-instance[aria-label*='legalized'] .view-line", { hasText: "64" }).first().waitFor();
  await picture("legalized", { x: 48, y: 35, width: 1132, height: 470 });
  await workbench.command("View: Close All Editors");

  await page.keyboard.press("Control+p");
  await page.locator(".quick-input-widget .input").fill("tasks.py");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "tasks.py" }).first().click();
  await page.locator('.tab.active[data-resource-name="tasks.py"]').waitFor();
  await workbench.goTo(lineOf(TASKS, "out = use(s, out)"), 9);
  await page.locator(".squiggly-warning").first().waitFor();
  await workbench.command("PyPTO: Show Task Graph");
  const graph = workbench.webview();
  await graph.locator(".node.selected[data-name=use]").waitFor();
  await picture("task-graph", { x: 48, y: 35, width: 1132, height: 622 });
  await workbench.command("View: Close All Editors");

  await page.setViewportSize({ width: 1500, height: 680 });
  await page.keyboard.press("Control+p");
  await page.locator(".quick-input-widget .input").fill("everything.py");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "everything.py" }).first().click();
  await page.locator('.tab.active[data-resource-name="everything.py"]').waitFor();
  await page.locator(".codelens-decoration").first().waitFor();
  await workbench.goTo(lineOf(EVERYTHING, "def main("), 1);
  await workbench.command("PyPTO: Show Task Graph");
  const parts = workbench.webview();
  await parts.locator(".node[data-name=grid]").waitFor();
  await parts.getByRole("button", { name: /Show all/ }).click();
  await picture("task-graph-parts", { x: 776, y: 35, width: 724, height: 622 });
} finally {
  await workbench.close();
}
