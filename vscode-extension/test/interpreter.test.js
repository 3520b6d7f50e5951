const assert = require("node:assert");
const { test } = require("node:test");
const { choose, NoInterpreter } = require("../dist/interpreter.js");

const sources = (setting, extension, usable) => ({
  setting,
  pythonExtension: async () => extension,
  usable: async (python) => usable.includes(python),
});

test("the setting comes first", async () => {
  const choice = await choose(sources("/a/python", "/b/python", ["/a/python", "/b/python", "python3"]));
  assert.deepEqual(choice, { python: "/a/python", origin: "setting" });
});

test("a setting that does not work is an error, not a reason to look further", async () => {
  await assert.rejects(choose(sources("/a/python", "/b/python", ["/b/python", "python3"])), NoInterpreter);
});

test("then the Python extension, then the path", async () => {
  assert.equal((await choose(sources(undefined, "/b/python", ["/b/python", "python3"]))).origin, "python extension");
  assert.equal((await choose(sources(undefined, "/b/python", ["python3"]))).python, "python3");
  assert.equal((await choose(sources(undefined, undefined, ["python"]))).python, "python");
});

test("nothing usable", async () => {
  await assert.rejects(choose(sources(undefined, undefined, [])), NoInterpreter);
});
