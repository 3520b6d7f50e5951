import assert from "node:assert";
import { test } from "node:test";
import { Latest } from "../src/latest";

test("work that is asked for while it runs is done once more, with what is new by then", async () => {
  let text = "a";
  const seen: string[] = [];
  let release: () => void = () => undefined;
  const latest = new Latest(async () => {
    seen.push(text);
    await new Promise<void>((resolve) => (release = resolve));
  });
  const done = latest.request();
  for (const next of ["b", "c", "d"]) {
    text = next;
    void latest.request();
  }
  release();
  await new Promise((resolve) => setImmediate(resolve));
  release();
  await done;
  assert.deepEqual(seen, ["a", "d"]);
});
