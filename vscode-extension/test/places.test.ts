import assert from "node:assert";
import { test } from "node:test";
import { alerts, nodesAt, placeOf } from "../src/graph/places";
import { graph, node } from "./documents";

const lines = (start: number, end = start): { start: { line: number; character: number }; end: { line: number; character: number } } => ({
  start: { line: start, character: 4 },
  end: { line: end, character: 20 },
});
const HERE = "file:///model.py";
const DOCUMENT = graph(
  [
    node("n1", "outer", { uri: HERE, range: lines(2, 8), selectionRange: lines(2) }),
    node("n2", "inner", { uri: HERE, range: lines(4, 5) }),
    node("n3", "helper", { uri: "file:///other.py", range: lines(4) }),
    node("n4", "twice", { uri: HERE, range: lines(10) }),
    node("n5", "twice", { uri: HERE, range: lines(10) }),
    node("n6", "gone"),
  ],
  [],
);

test("the cursor is in the innermost launch, or in all of one line", () => {
  const at = (line: number, uri = HERE): string[] => nodesAt(DOCUMENT, uri, { line, character: 0 });
  assert.deepEqual(at(3), ["n1"]);
  assert.deepEqual(at(5), ["n2"]);
  assert.deepEqual(at(10), ["n4", "n5"]);
  assert.deepEqual(at(9), []);
  assert.deepEqual(at(4, "file:///other.py"), ["n3"]);
});

test("a finding counts for the launch it is in", () => {
  const found = alerts(DOCUMENT, HERE, [
    { at: { line: 4, character: 0 }, message: "a" },
    { at: { line: 5, character: 0 }, message: "b" },
    { at: { line: 0, character: 0 }, message: "c" },
  ]);
  assert.deepEqual(found, { n2: ["a", "b"] });
});

test("a click leads to the header of a launch", () => {
  assert.deepEqual(placeOf(DOCUMENT.nodes[0]), { uri: HERE, range: lines(2) });
  assert.deepEqual(placeOf(DOCUMENT.nodes[1]), { uri: HERE, range: lines(4, 5) });
});
