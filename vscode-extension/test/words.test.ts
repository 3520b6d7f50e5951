import assert from "node:assert";
import { test } from "node:test";
import { atMost, counted, nameOf } from "../src/graph/webview/words";
import { edge, graph, node, stall } from "./documents";

test("counts are written as people do", () => {
  const all = [1, "1", 0, 2, "<=829", "2*N", "?"].map((count) => counted(count, "task"));
  assert.deepEqual(all, ["1 task", "1 task", "0 tasks", "2 tasks", "≤829 tasks", "2*N tasks", undefined]);
  assert.equal(atMost("longest chain <=41 of <=829 tasks"), "longest chain ≤41 of ≤829 tasks");
});

test("tasks of one launch are told apart by their iteration", () => {
  const tasks = graph([node("n1", "use", { at: "i = 1" }), node("n2", "last", { loops: ["l0"] })], [edge("n1", "n2")]);
  tasks.stalls = [stall("s1", ["n1"], 1)];
  assert.deepEqual(["n1", "n2", "l0", "s1"].map((id) => nameOf(tasks, id)), ["use (i = 1)", "last", "pl.range l0 ×4", "read s"]);
});
