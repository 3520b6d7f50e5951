import assert from "node:assert";
import { test } from "node:test";
import type { OptedOut } from "../src/graph/document";
import { isBox, isMark, items, leaves, type Box } from "../src/graph/webview/boxes";
import { arrowsAt, picture, type Options } from "../src/graph/webview/picture";
import { MODES, shownEdges } from "../src/graph/webview/reduction";
import { edge, graph, node, stall } from "./documents";

const PLAIN: Options = { mode: "reduced", owners: false, claims: false, collapsed: new Set<string>() };
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
  assert.deepEqual(kinds({ mode: "full" }), ["raw", "explicit", "false"]);
  assert.deepEqual(kinds({ mode: "omitted" }), ["raw"]);
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

test("what a launch waits for is known while its loop is closed", () => {
  const box = picture(PAIR, PLAIN).root.children[0] as Box;
  const closed = { ...PLAIN, collapsed: new Set([box.key]) };
  assert.ok(!picture(PAIR, closed).arrows.some(({ to }) => to === "n2"));
  assert.deepEqual(arrowsAt(PAIR, closed, "n2").map(({ from, to, kind }) => [from, to, kind]), [["n1", "n2", "raw"], ["n2", "n3", "raw"], ["n2", "n1", "missing"]]);
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

test("a mode and its counterpart are everything, and the dataflow modes keep what alone brings a tensor", () => {
  const all = graph([node("n1", "a"), node("n2", "b"), node("n3", "c")], [edge("n1", "n2"), edge("n2", "n3", { tensor: "t2" }), edge("n1", "n3", { redundant: true })]);
  const tensors = Object.fromEntries(MODES.map((mode) => [mode, shownEdges(all, mode).map(({ pred, succ }) => pred + succ)]));
  assert.deepEqual(tensors.reduced, ["n1n2", "n2n3"]);
  assert.deepEqual(tensors.omitted, ["n1n3"]);
  assert.deepEqual(tensors.reduced_dataflow, tensors.full);
  assert.deepEqual(tensors.omitted_dataflow, []);
  all.edges.push(edge("n2", "n3"));
  assert.deepEqual(shownEdges(all, "omitted_dataflow").map(({ pred, succ }) => pred + succ), ["n1n3"]);
});

test("every kind of group is a box that closes, and only loops speak of iterations", () => {
  const groups = [
    { id: "g1", kind: "then" as const, title: "if n > 4", loop: null, parent: null },
    { id: "g2", kind: "else" as const, title: "else of: if n > 4", loop: null, parent: null },
  ];
  const document = { ...graph([node("n1", "a", { groups: ["g1"] }), node("n2", "b", { groups: ["g2"] })], [edge("n1", "n2")]), groups };
  const { root } = picture(document, PLAIN);
  assert.deepEqual(root.children.map((child) => isBox(child) && [child.title, child.summary]), [["if n > 4", "1 launch"], ["else of: if n > 4", "1 launch"]]);
  const closed = picture(document, { ...PLAIN, collapsed: new Set([(root.children[0] as Box).key]) });
  assert.deepEqual(closed.arrows.map(({ from, to }) => [from, to]), [["g1", "n2"]]);
});

test("stalls and what is not understood stand where they are written", () => {
  const nodes = [node("n1", "a"), node("n2", "b", { loops: ["i"] }), node("n3", "c", { loops: ["i"] })];
  const unknown = [
    { why: "del", alone: true, groups: ["i"], after: 2 },
    { why: "an argument could not be traced", alone: false, groups: [], after: 0 },
  ];
  const document = { ...graph(nodes, []), stalls: [stall("s1", ["n1"], 1)], unknown };
  const { root, arrows, order } = picture(document, PLAIN);
  assert.deepEqual(leaves(root).map((each) => (isMark(each) ? each.title : each.node.name)), ["a", "read s", "b", "? del", "c"]);
  assert.deepEqual(arrows.map(({ from, to, label }) => [from, to, label]), [["n1", "s1", "RAW s"]]);
  assert.deepEqual(order.map(({ from, to }) => from + to), ["s1n2", "s1u1", "s1n3"]);
});

test("opt-outs: what cannot be checked is shown, what is right when asked for, what is wrong as the hazard it is", () => {
  const opted = (succ: string, overlap: OptedOut["overlap"]): OptedOut => ({ pred: "n1", succ, hazard: "RAW", tensor: "t1", distance: {}, overlap, how: "opted out of tracking", claim: "claim" });
  const nodes = [node("n1", "a"), node("n2", "b"), node("n3", "c"), node("n4", "d")];
  const document = { ...graph(nodes, []), opted_out: [opted("n2", "must-not"), opted("n3", "may"), opted("n4", "must")] };
  const kinds = (options: object): string[] => picture(document, { ...PLAIN, ...options }).arrows.map(({ kind, to, label }) => `${kind} ${to} ${label}`);
  assert.deepEqual(kinds({}), ["untracked n3 not tracked: RAW s ?"]);
  assert.deepEqual(kinds({ claims: true }), ["verified n2 ✓ not tracked: RAW s", "untracked n3 not tracked: RAW s ?"]);
});

test("guards say what decides, and whether that is written before", () => {
  const guard = (succ: string, ordered: boolean): object => ({ pred: "n1", succ, tensor: "t1", distance: {}, ordered });
  const document = { ...graph([node("n1", "a"), node("n2", "b"), node("n3", "c")], []), guards: [guard("n2", true), guard("n3", false)] as never };
  assert.deepEqual(picture(document, PLAIN).arrows.map(({ kind, label }) => [kind, label]), [["guard", "guard s"], ["guard", "guard s ?"]]);
});

test("what is left out of the tasks is told behind them", () => {
  const document = { ...graph([node("n1.1", "a", { of: "n1", at: "i = 0" })], []), view: "unrolled" as const, more: 26 };
  const last = leaves(picture(document, PLAIN).root).at(-1)!;
  assert.ok(isMark(last) && last.mark === "more");
  assert.equal(last.title, "… 26 more tasks");
});

test("a preview strikes the waits that go and adds those that come", () => {
  const document = graph([node("n1", "a", IN_LOOP), node("n2", "b", IN_LOOP)], [edge("n1", "n2"), edge("n1", "n2", { hazard: "WAW", distance: { i: 1 } })]);
  const change = { carried: true, pred: "n1", succ: "n2", reasons: ["WAW s"] };
  const preview = { title: "fix", function: "main", text: "", removed: [change], added: [{ ...change, pred: "n2", succ: "n1", carried: false, reasons: ["explicit"] }] };
  const { arrows } = picture(document, { ...PLAIN, preview });
  assert.deepEqual(arrows.map(({ kind, removed, label }) => [kind, removed, label]), [["raw", false, "RAW s"], ["waw", true, "WAW s i→i+1"], ["added", false, "+ wait"]]);
});
