/** Which Python starts the server. No dependency on the editor, so that the order can be tested. */

export type ImportStrategy = "fromEnvironment" | "useBundled";

export interface Sources {
  /** The setting `pto-lsp.interpreter`, when it may be used. */
  setting: string | undefined;
  strategy: ImportStrategy;
  /** In an untrusted workspace the Python extension is not asked: its choice may lie in that workspace. */
  trusted: boolean;
  /** The folder with a copy of pto-lsp that came with the extension; undefined when it has none. */
  bundled: string | undefined;
  /** The interpreter chosen in the Python extension, when that extension is there. */
  pythonExtension: () => Promise<string | undefined>;
  /** Whether `python` starts pto-lsp, taken from `libraries` first when given. */
  usable: (python: string, libraries?: string) => Promise<boolean>;
}

export interface Choice {
  python: string;
  origin: "setting" | "Python extension" | "path";
  /** Folder for the front of the module search path. */
  libraries?: string;
}

export class NoInterpreter extends Error {}

const ON_PATH = ["python3", "python"];

/**
 * The first usable interpreter, each with its own pto-lsp or the bundled one, in the order the strategy asks for.
 * A setting that is not usable is an error of its own: the user asked for it.
 */
export async function choose(sources: Sources): Promise<Choice> {
  const { setting } = sources;
  if (setting) {
    const found = await first([{ python: setting, origin: "setting" }], sources);
    if (found) {
      return found;
    }
    throw new NoInterpreter(`The interpreter in the setting pto-lsp.interpreter, "${setting}", does not run or has no pto-lsp installed.`);
  }
  const chosen = sources.trusted ? await sources.pythonExtension() : undefined;
  const candidates: Choice[] = [
    ...(chosen ? [{ python: chosen, origin: "Python extension" } as const] : []),
    ...ON_PATH.map((python) => ({ python, origin: "path" }) as const),
  ];
  const found = await first(candidates, sources);
  if (found) {
    return found;
  }
  throw new NoInterpreter('No Python with pto-lsp installed was found. Run "pip install pto-lsp" or choose an interpreter.');
}

async function first(candidates: Choice[], { bundled, strategy, usable }: Sources): Promise<Choice | undefined> {
  const own = candidates;
  const withBundled = bundled ? candidates.map((each) => ({ ...each, libraries: bundled })) : [];
  for (const each of strategy === "useBundled" ? [...withBundled, ...own] : [...own, ...withBundled]) {
    if (await usable(each.python, each.libraries)) {
      return each;
    }
  }
  return undefined;
}

export function same(one: Choice | undefined, other: Choice | undefined): boolean {
  return one?.python === other?.python && one?.libraries === other?.libraries;
}
