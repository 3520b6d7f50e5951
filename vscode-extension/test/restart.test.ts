import assert from "node:assert";
import { test } from "node:test";
import { RestartQueue } from "../src/restart";

/** A restart that ends when it is told to. */
function restarts(): { queue: RestartQueue; begun: () => number; end: (fault?: Error) => Promise<void>; atOnce: () => number } {
  let begun = 0;
  let running = 0;
  let most = 0;
  let finish: (fault?: Error) => void = () => assert.fail("nothing runs");
  const queue = new RestartQueue(async () => {
    begun++;
    most = Math.max(most, ++running);
    await new Promise<void>((resolve, reject) => (finish = (fault) => (fault ? reject(fault) : resolve()))).finally(() => running--);
  });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { queue, begun: () => begun, atOnce: () => most, end: (fault) => (finish(fault), settle()) };
}

test("one runs, one waits, and further requests share the one that waits", async () => {
  const { queue, begun, end, atOnce } = restarts();
  const first = queue.request();
  const others = [queue.request(), queue.request(), queue.request()];
  assert.equal(begun(), 1);
  await end();
  await first;
  assert.equal(begun(), 2);
  await end();
  await Promise.all(others);
  assert.equal(begun(), 2);
  assert.equal(atOnce(), 1);
});

test("a request is answered by a restart that began after it", async () => {
  const { queue, begun, end } = restarts();
  void queue.request();
  let answered = false;
  const second = queue.request().then(() => (answered = true));
  await end();
  assert.deepEqual([begun(), answered], [2, false]);
  const third = queue.request();
  await end();
  await second;
  assert.ok(answered);
  assert.equal(begun(), 3);
  await end();
  await third;
});

test("idle is when nothing runs and nothing waits", async () => {
  const { queue, end } = restarts();
  await queue.idle();
  void queue.request();
  void queue.request();
  let idle = false;
  const waited = queue.idle().then(() => (idle = true));
  await end();
  assert.ok(!idle);
  await end();
  await waited;
  assert.ok(idle);
});

test("a restart that fails does not block the next one", async () => {
  const { queue, begun, end } = restarts();
  const first = queue.request();
  const second = queue.request();
  await end(new Error("no"));
  await first;
  await end();
  await second;
  assert.equal(begun(), 2);
  void queue.request();
  assert.equal(begun(), 3);
});
