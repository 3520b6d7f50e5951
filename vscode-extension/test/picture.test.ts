import assert from "node:assert";
import { test } from "node:test";
import { isBox, items, picture, type Box } from "../src/graph/webview/picture";
import { edge, graph, node } from "./documents";

const PLAIN = { redundant: false, owners: false, collapsed: new Set<string>() };
const IN_LOOP = { loops: ["i"] };

const PAIR = graph(
  [node("n1", "fill", IN_LOOP), node("n2", "use", IN_LOOP), node("n3", "last")],
  [edge("n1", "n2"), edge("n1", "n1", { hazard: "WAW", distance: { i: 1 } }), edge("n2", "n3", { tensor: "t2" })],
  [{ pred: "n2", succ: "n1", hazard: "WAR", tensor: "t1", distance: { i: 1 }, rule: "TG102", code: "PTO702" }],
);

test("loops are boxes, in the order of the text", () => {
  const { root } = picture(PAIR, PLAIN);
  const [box, last] = root.children;
  assert.ok(isBox(box) && !isBox(last));
  assert.equal(box.title, "pl.range i ×4");
  assert.deepEqual(items(box).map(({ node: { name } }) => name), ["fill", "use"]);
  assert.equal(box.summary, "2 launches, chained by s (WAW)");
});

test("each kind of edge is an arrow of its kind, with what it is about", () => {
  const { arrows } = picture(PAIR, PLAIN);
  assert.deepEqual(
    arrows.map(({ from, to, kind, label, carried }) => [from, to, kind, label, carried]),
    [
      ["n1", "n2", "raw", "RAW s", false],
      ["n1", "n1", "waw", "WAW s i→i+1", true],
      ["n2", "n3", "raw", "RAW y", false],
      ["n2", "n1", "missing", "WAR s ? i→i+1", true],
    ],
  );
  assert.match(arrows[3].reasons[0], /PTO702/);
});

test("edges of a kind between the same two are one arrow", () => {
  const { arrows } = picture(graph([node("n1", "a"), node("n2", "b")], [edge("n1", "n2"), edge("n1", "n2", { tensor: "t2" })]), PLAIN);
  assert.deepEqual(arrows.map(({ label, reasons }) => [label, reasons]), [["RAW s, y", ["RAW s", "RAW y"]]]);
});

test("what others imply is hidden unless asked for; what was written by hand, or is wrong, never is", () => {
  const edges = [
    edge("n1", "n2", { redundant: true }),
    edge("n1", "n2", { redundant: true, source: "explicit", hazard: null, tensor: null }),
    edge("n1", "n2", { redundant: true, needed: "must-not" }),
    edge("n1", "n2", { source: "creator", hazard: null }),
  ];
  const both = graph([node("n1", "a"), node("n2", "b")], edges);
  const kinds = (options: object): string[] => picture(both, { ...PLAIN, ...options }).arrows.map(({ kind }) => kind);
  assert.deepEqual(kinds({}), ["explicit", "false"]);
  assert.deepEqual(kinds({ redundant: true }), ["raw", "explicit", "false"]);
  assert.deepEqual(kinds({ owners: true }), ["explicit", "false", "owner"]);
  const { arrows } = picture(both, PLAIN);
  assert.deepEqual(arrows.map(({ label }) => label), ["deps", "✂ RAW s"]);
});

test("a closed loop is one node that takes over the arrows across its border", () => {
  const box = picture(PAIR, PLAIN).root.children[0] as Box;
  const { root, arrows } = picture(PAIR, { ...PLAIN, collapsed: new Set([box.key]) });
  assert.ok((root.children[0] as Box).closed);
  assert.deepEqual(arrows.map(({ from, to }) => [from, to]), [["i", "n3"]]);
});

test("a closed loop hides the boxes in it as well", () => {
  const nested = graph([node("n1", "a", { loops: ["i", "j"] }), node("n2", "b")], [edge("n1", "n2")]);
  const outer = picture(nested, PLAIN).root.children[0] as Box;
  const { arrows } = picture(nested, { ...PLAIN, collapsed: new Set([outer.key]) });
  assert.deepEqual(arrows.map(({ from, to }) => [from, to]), [["i", "n2"]]);
});

test("keys of launches survive a new launch in front of them", () => {
  const before = items(picture(graph([node("n1", "a"), node("n2", "b")], []), PLAIN).root);
  const after = items(picture(graph([node("n1", "new"), node("n2", "a"), node("n3", "b")], []), PLAIN).root);
  assert.deepEqual(before.map(({ key }) => key), after.slice(1).map(({ key }) => key));
});
