/** What the server's commands answer. Ranges and positions are those of the protocol. */

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

/** Instead of an answer: why there is none. */
export interface Refusal {
  message?: string;
}

export interface Compiled extends Refusal {
  outputDir?: string;
  entries?: unknown[];
  files?: string[];
  messages?: string[];
}

export interface Generated extends Refusal {
  path?: string;
  text?: string;
  /** 0-based line of the function that was asked for. */
  line?: number;
}

export interface Legalized extends Refusal {
  text?: string;
  language?: string;
}

export interface Page extends Refusal {
  markdown?: string;
}

export interface Plain extends Refusal {
  text?: string;
}

export interface Fixed extends Refusal {
  applied?: number;
  left?: string[];
}

/** What a launch waits for, and what waits for it. */
export interface Peers extends Refusal {
  peers?: { uri: string; range: Range; name: string; relation: "before" | "after"; reasons: string[] }[];
}
