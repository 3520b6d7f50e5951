import assert from "node:assert";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { COMMANDS, CONTEXT_IS_PYPTO, ID, OWN_SETTINGS } from "../src/names";
import { SERVER_SETTINGS } from "../src/serverSettings";

interface Item {
  command?: string;
  when?: string;
}

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const contributed = manifest.contributes;
const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(join("src", name), "utf8"))
  .join("\n");

test("every command of the manifest exists in the code, and the other way round", () => {
  const declared = contributed.commands.map(({ command }: Item) => command);
  assert.deepEqual([...declared].sort(), [...COMMANDS].sort());
  assert.equal(new Set(declared).size, declared.length);
});

test("every setting of the manifest is read by the extension or sent to the server, and the other way round", () => {
  const declared = Object.keys(contributed.configuration.properties);
  assert.deepEqual([...declared].sort(), [...OWN_SETTINGS, ...SERVER_SETTINGS].map((name) => `${ID}.${name}`).sort());
});

test("menus name commands that exist", () => {
  const known = new Set<string>(COMMANDS);
  for (const items of Object.values(contributed.menus) as Item[][]) {
    for (const { command } of items) {
      assert.ok(command === undefined || known.has(command), command);
    }
  }
});

test("conditions use contexts that are set", () => {
  const conditions = (Object.values(contributed.menus) as Item[][]).flat().map(({ when }) => when ?? "").join(" ");
  const ours = conditions.match(/pto-lsp\.\w+/g) ?? [];
  assert.deepEqual([...new Set(ours)], [CONTEXT_IS_PYPTO]);
  assert.match(sources, /"setContext", CONTEXT_IS_PYPTO/);
});

test("what a workspace must not decide alone is restricted until it is trusted", () => {
  const restricted: string[] = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
  for (const name of restricted) {
    assert.ok(name in contributed.configuration.properties, name);
  }
  assert.ok(restricted.includes("pto-lsp.interpreter"));
  const compile = contributed.commands.find(({ command }: Item) => command === "pto-lsp.compile");
  assert.equal(compile.enablement, "isWorkspaceTrusted");
});

test("settings read by name are declared", () => {
  const read = [...sources.matchAll(/own<[^>]+(?:\|[^>]+)?>\("([\w.]+)"\)/g)].map(([, name]) => name);
  assert.ok(read.length > 0);
  for (const name of read) {
    assert.ok(`${ID}.${name}` in contributed.configuration.properties, name);
  }
});

test("files the manifest names exist", () => {
  assert.ok(existsSync(manifest.icon));
});
