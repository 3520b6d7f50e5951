import assert from "node:assert";
import { test } from "node:test";
import { atMost, counted } from "../src/graph/webview/words";

test("counts are written as people do", () => {
  const all = [1, "1", 0, 2, "<=829", "2*N", "?"].map((count) => counted(count, "task"));
  assert.deepEqual(all, ["1 task", "1 task", "0 tasks", "2 tasks", "≤829 tasks", "2*N tasks", undefined]);
  assert.equal(atMost("longest chain <=41 of <=829 tasks"), "longest chain ≤41 of ≤829 tasks");
});
