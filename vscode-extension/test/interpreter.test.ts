import assert from "node:assert";
import { test } from "node:test";
import { choose, NoInterpreter, same, type Sources } from "../src/interpreter";

/** `usable` names interpreters with their own pto-lsp, "NAME+bundled" those that can run the bundled one. */
function sources(usable: string[], rest: Partial<Sources> = {}): { sources: Sources; asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    sources: {
      setting: undefined,
      strategy: "fromEnvironment",
      trusted: true,
      bundled: undefined,
      pythonExtension: async () => undefined,
      usable: async (python, libraries) => {
        const name = libraries ? `${python}+${libraries}` : python;
        asked.push(name);
        return usable.includes(name);
      },
      ...rest,
    },
  };
}

const environment = { pythonExtension: async () => "/env/python" };

test("the setting wins, and nothing else is asked", async () => {
  const { sources: given, asked } = sources(["/my/python", "/env/python", "python3"], { setting: "/my/python", ...environment });
  assert.deepEqual(await choose(given), { python: "/my/python", origin: "setting" });
  assert.deepEqual(asked, ["/my/python"]);
});

test("a setting that does not work is an error of its own", async () => {
  const { sources: given } = sources(["python3"], { setting: "/gone/python" });
  await assert.rejects(choose(given), (fault: Error) => fault instanceof NoInterpreter && fault.message.includes('"/gone/python"'));
});

test("the Python extension's choice comes before the path", async () => {
  const { sources: given } = sources(["/env/python", "python3"], environment);
  assert.deepEqual(await choose(given), { python: "/env/python", origin: "Python extension" });
});

test("a chosen environment without pto-lsp gives way to the path", async () => {
  const { sources: given, asked } = sources(["python"], environment);
  assert.deepEqual(await choose(given), { python: "python", origin: "path" });
  assert.deepEqual(asked, ["/env/python", "python3", "python"]);
});

test("without anything the message says what to do", async () => {
  await assert.rejects(choose(sources([]).sources), (fault: Error) => fault instanceof NoInterpreter && fault.message.includes("pip install pto-lsp"));
});

test("in an untrusted workspace the Python extension is not asked", async () => {
  const pythonExtension = (): never => assert.fail("asked");
  const { sources: given } = sources(["python3"], { trusted: false, pythonExtension });
  assert.deepEqual(await choose(given), { python: "python3", origin: "path" });
});

test("the bundled copy helps out when no interpreter has its own", async () => {
  const { sources: given, asked } = sources(["/env/python+bundled"], { bundled: "bundled", ...environment });
  assert.deepEqual(await choose(given), { python: "/env/python", origin: "Python extension", libraries: "bundled" });
  assert.deepEqual(asked, ["/env/python", "python3", "python", "/env/python+bundled"]);
});

test("useBundled turns that order round", async () => {
  const { sources: given } = sources(["python3", "python3+bundled"], { strategy: "useBundled", bundled: "bundled" });
  assert.deepEqual(await choose(given), { python: "python3", origin: "path", libraries: "bundled" });
  const without = sources(["python3"], { strategy: "useBundled" });
  assert.deepEqual(await choose(without.sources), { python: "python3", origin: "path" });
});

test("the setting can run the bundled copy", async () => {
  const { sources: given } = sources(["/my/python+bundled"], { setting: "/my/python", bundled: "bundled" });
  assert.deepEqual(await choose(given), { python: "/my/python", origin: "setting", libraries: "bundled" });
});

test("two choices are the same when they start the same process", () => {
  assert.ok(same({ python: "a", origin: "path" }, { python: "a", origin: "setting" }));
  assert.ok(!same({ python: "a", origin: "path" }, { python: "a", origin: "path", libraries: "bundled" }));
  assert.ok(!same(undefined, { python: "a", origin: "path" }));
});
