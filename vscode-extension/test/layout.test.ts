import assert from "node:assert";
import { test } from "node:test";
import { cloud, halfway, isTight, path } from "../src/graph/webview/draw";
import { layout, type Layout, type Rectangle } from "../src/graph/webview/layout";
import { neighbour } from "../src/graph/webview/neighbours";
import { picture } from "../src/graph/webview/picture";
import { edge, graph, node, stall } from "./documents";

const measure = (text: string): number => text.length * 7;
const shown = (document = chain(24)): ReturnType<typeof picture> => picture(document, { mode: "reduced", owners: false, claims: false, collapsed: new Set() });

/** A loop around every second half of a chain, with edges that skip one. */
function chain(length: number): ReturnType<typeof graph> {
  const nodes = Array.from({ length }, (_, number) => node(`n${number}`, `task_${number}`, { loops: number % 12 < 6 ? [] : [`l${Math.floor(number / 12)}`] }));
  const edges = nodes.slice(1).flatMap((each, number) => [edge(`n${number}`, each.id), ...(number > 0 ? [edge(`n${number - 1}`, each.id)] : [])]);
  return graph(nodes, edges);
}

function placeOf(places: Layout, id: string): Rectangle {
  const found = places.places.get(id);
  assert.ok(found, id);
  return found;
}

function overlap(a: Rectangle, b: Rectangle): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

test("time runs to the right, nothing lies on anything else, and loops hold what is in them", async () => {
  const drawn = shown();
  const places = await layout(drawn, {}, { labels: true, direction: "right" }, measure);
  const nodes = [...places.places].filter(([id]) => id.startsWith("n"));
  for (const [one, other] of nodes.flatMap((each, number) => nodes.slice(number + 1).map((next) => [each, next]))) {
    assert.ok(!overlap(one[1], other[1]), `${one[0]} ${other[0]}`);
  }
  for (const { from, to } of drawn.arrows) {
    assert.ok(placeOf(places, from).x < placeOf(places, to).x, `${from} → ${to}`);
  }
  const [box, inside] = [placeOf(places, "l0"), placeOf(places, "n7")];
  assert.ok(box.x < inside.x && box.y < inside.y && box.x + box.width > inside.x + inside.width);
  assert.ok(!overlap(box, placeOf(places, "n13")));
  assert.equal(places.routes.size, drawn.arrows.length);
});

test("a closed box is as wide as its title in the font of names", async () => {
  const document = chain(24);
  const drawn = picture(document, { mode: "reduced", owners: false, claims: false, collapsed: new Set(["l0"]) });
  const bold = (text: string, font: "name" | "small"): number => text.length * (font === "name" ? 20 : 5);
  const places = await layout(drawn, {}, { labels: false, direction: "right" }, bold);
  assert.ok(placeOf(places, "l0").width >= bold("▸ pl.range l0", "name") + 9);
});

test("downwards it is the same the other way", async () => {
  const drawn = shown();
  const places = await layout(drawn, {}, { labels: false, direction: "down" }, measure);
  assert.ok(drawn.arrows.every(({ from, to }) => placeOf(places, from).y < placeOf(places, to).y));
});

test("where edges form a circle the one against the order of the text points backwards", async () => {
  const loop = { loops: ["i"] };
  const circle = graph(
    [node("n1", "fill", loop), node("n2", "use", loop)],
    [edge("n1", "n2")],
    [{ pred: "n2", succ: "n1", hazard: "WAR", tensor: "t1", distance: { i: 1 }, rule: null }],
  );
  const places = await layout(shown(circle), {}, { labels: true, direction: "right" }, measure);
  assert.ok(placeOf(places, "n1").x < placeOf(places, "n2").x);
});

test("a stall is a bar across its box: what is written before it stands left of it, the rest right", async () => {
  const nodes = ["a", "b", "c", "d"].map((id) => node(id, id));
  const document = { ...graph(nodes, [edge("a", "d")]), stalls: [stall("s1", ["a"], 2)] };
  const drawn = shown(document);
  for (const direction of ["right", "down"] as const) {
    const places = await layout(drawn, {}, { labels: true, direction }, measure);
    const bar = placeOf(places, "s1");
    const [at, size] = direction === "right" ? (["x", "width"] as const) : (["y", "height"] as const);
    for (const id of ["a", "b"]) {
      assert.ok(placeOf(places, id)[at] + placeOf(places, id)[size] <= bar[at], `${id} ${direction}`);
    }
    for (const id of ["c", "d"]) {
      assert.ok(placeOf(places, id)[at] >= bar[at] + bar[size], `${id} ${direction}`);
    }
    const [across, whole] = direction === "right" ? [bar.height, places.height] : [bar.width, places.width];
    assert.ok(across > whole - 40 && across <= whole);
    assert.ok([...places.routes.keys()].every((id) => drawn.arrows.some((arrow) => arrow.id === id)), "what only keeps order is not drawn");
  }
});

test("the outline of a cloud is closed and as large as its place", () => {
  assert.match(cloud(120, 38), /^M9\.5 4 (a[\d.]+ 7 0 0 1 [\d.]+ 0 )+a[\d.]+ [\d.]+ 0 0 1 0 30 (a[\d.]+ 7 0 0 1 -[\d.]+ 0 )+a[\d.]+ [\d.]+ 0 0 1 0 -30 z$/);
});

test("tens of launches are laid out at once", async () => {
  const drawn = shown();
  const style = { labels: true, direction: "right" } as const;
  for (let warm = 0; warm < 3; warm++) {
    await layout(drawn, {}, style, measure);
  }
  const before = process.cpuUsage();
  await layout(drawn, {}, style, measure);
  const { user, system } = process.cpuUsage(before);
  assert.ok((user + system) / 1000 < 250, `${(user + system) / 1000} ms of processor time`);
});

test("arrow keys follow the lines", async () => {
  const drawn = shown(graph([node("a", "a"), node("b", "b"), node("c", "c")], [edge("a", "b"), edge("a", "c")]));
  const places = await layout(drawn, {}, { labels: false, direction: "right" }, measure);
  const ids = ["a", "b", "c"];
  const right = neighbour("a", "right", drawn.arrows, ids, places);
  assert.ok(right === "b" || right === "c");
  assert.equal(neighbour("b", "left", drawn.arrows, ids, places), "a");
  const [upper, lower] = placeOf(places, "b").y < placeOf(places, "c").y ? ["b", "c"] : ["c", "b"];
  assert.equal(neighbour(upper, "down", drawn.arrows, ids, places), lower);
  assert.equal(neighbour(lower, "up", drawn.arrows, ids, places), upper);
  assert.equal(neighbour("a", "left", drawn.arrows, ids, places), undefined);
});

test("a label without a place of its own is tight where it would reach over what its line connects", () => {
  const line = [{ x: 0, y: 0 }, { x: 36, y: 0 }, { x: 36, y: 90 }];
  assert.ok(isTight("RAW mixes_partials", line));
  assert.ok(!isTight("RAW s", line));
});

test("lines have rounded corners and labels sit on the longest level piece", () => {
  const points = [{ x: 0, y: 0 }, { x: 10, y: 0 }, { x: 10, y: 40 }, { x: 90, y: 40 }];
  assert.equal(path(points), "M0 0 L5 0 Q10 0 10 5 L10 35 Q10 40 15 40 L90 40");
  assert.deepEqual(halfway(points), { x: 50, y: 40 });
});
