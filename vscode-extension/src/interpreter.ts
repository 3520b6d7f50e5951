/** Which Python starts the server. No dependency on the editor, so that the order can be tested. */

export interface Sources {
  /** The setting `pto-lsp.interpreter`, when it may be used. */
  setting: string | undefined;
  /** The interpreter chosen in the Python extension, when that extension is there. */
  pythonExtension: () => Promise<string | undefined>;
  /** Whether `python -c "import pto_lsp"` works. */
  usable: (python: string) => Promise<boolean>;
}

export interface Choice {
  python: string;
  origin: "setting" | "python extension" | "path";
}

export class NoInterpreter extends Error {}

/** The first usable interpreter. A setting that is not usable is an error of its own: the user asked for it. */
export async function choose(sources: Sources): Promise<Choice> {
  if (sources.setting) {
    if (await sources.usable(sources.setting)) {
      return { python: sources.setting, origin: "setting" };
    }
    throw new NoInterpreter(
      `The interpreter in the setting pto-lsp.interpreter, "${sources.setting}", does not run or has no pto-lsp installed.`,
    );
  }
  const chosen = await sources.pythonExtension();
  if (chosen && (await sources.usable(chosen))) {
    return { python: chosen, origin: "python extension" };
  }
  for (const python of ["python3", "python"]) {
    if (await sources.usable(python)) {
      return { python, origin: "path" };
    }
  }
  throw new NoInterpreter('No Python with pto-lsp installed was found. Run "pip install pto-lsp" or choose an interpreter.');
}
