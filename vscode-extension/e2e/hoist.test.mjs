import assert from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openWorkbench } from "./workbench.mjs";

const LAYER = `import pypto.language as pl

T = pl.Tensor[[128, 128], pl.FP32]


@pl.jit.incore
def shift(a: T, c: pl.InOut[T], off: pl.Scalar[pl.INDEX]):
    t = pl.load(a, [off, 0], [64, 128])
    c = pl.store(t, [0, 0], c)
    return c


@pl.jit.graph
def layer(a: T, c: pl.InOut[T], index: pl.Scalar[pl.INDEX]):
    base = index * 64  # rows of this layer
    c = shift(a, c, base)
    return c
`;

const MODEL = `import pypto.language as pl

from layer import layer

T = pl.Tensor[[128, 128], pl.FP32]


@pl.jit
def model(a: T, c: pl.InOut[T]):
    for i in pl.range(2):
        c = layer(a, c, i)
    return c
`;

const LAYER_FIXED = LAYER.replace("index: pl.Scalar[pl.INDEX])", "index: pl.Scalar[pl.INDEX], base: pl.Scalar[pl.INDEX])").replace(
  "    base = index * 64  # rows of this layer\n",
  "",
);
const MODEL_FIXED = MODEL.replace(
  "        c = layer(a, c, i)\n",
  "        base = i * 64  # rows of this layer\n        c = layer(a, c, i, base)\n",
);

let workbench;

before(async () => {
  workbench = await openWorkbench(
    { "layer.py": LAYER, "model.py": MODEL, "pto-lsp.toml": '[severity]\nPTO101 = "error"\n' },
    { "pto-lsp.interpreter": process.env.PTO_E2E_PYTHON },
    join("e2e", "screenshots"),
  );
});

after(() => workbench?.close());

test("a squiggle on the word, and the quick fix that changes two files", async () => {
  const { page, shoot } = workbench;
  await workbench.openFile("layer.py");
  const squiggle = page.locator(".squiggly-error").first();
  await squiggle.waitFor();
  await shoot("squiggle");

  const word = page.locator(".view-line", { hasText: "rows of this layer" }).locator("span", { hasText: "base" }).last();
  const [mark, text] = [await squiggle.boundingBox(), await word.boundingBox()];
  assert.ok(Math.abs(mark.y - text.y) < 6, "the squiggle is on the line of the binding");
  assert.ok(mark.x >= text.x - 4 && mark.x + mark.width <= text.x + text.width + 4, "and under the name");

  await page.locator(".view-line", { hasText: "rows of this layer" }).click();
  await page.keyboard.press("F8");
  await page.locator(".marker-widget, .zone-widget", { hasText: "base" }).first().waitFor();
  await shoot("message");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+.");
  const fix = page.locator(".action-widget .monaco-list-row", { hasText: "Hoist 'base' to call site" });
  await fix.waitFor();
  await shoot("light-bulb");
  // It is the preferred one, so it has the focus.
  assert.match((await fix.getAttribute("class")) ?? "", /focused/);
  await page.keyboard.press("Enter");
  await page.locator(".view-line", { hasText: "base: pl.Scalar" }).waitFor();
  await squiggle.waitFor({ state: "detached" });
  await shoot("fixed-layer");

  await workbench.command("File: Save All");
  await workbench.openFile("model.py");
  await page.locator(".view-line", { hasText: "rows of this layer" }).waitFor();
  await shoot("fixed-model");
  const saved = (name) => readFileSync(join(workbench.folder, name), "utf8");
  for (let wait = 0; wait < 100 && (saved("layer.py") === LAYER || saved("model.py") === MODEL); wait++) {
    await page.waitForTimeout(100);
  }
  assert.equal(saved("layer.py"), LAYER_FIXED);
  assert.equal(saved("model.py"), MODEL_FIXED);
});
