/** The server process: found, started, restarted and asked. */

import * as vscode from "vscode";
import { State, type LanguageClient } from "vscode-languageclient/node";
import { createClient, type Channels } from "./client";
import { choose, NoInterpreter, same, type Choice } from "./interpreter";
import { complain } from "./messages";
import { chosenInterpreter, startsServer } from "./python";
import { RestartQueue } from "./restart";
import * as settings from "./settings";
import type { Status } from "./status";

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private choice: Choice | undefined;
  private readonly queue = new RestartQueue(() => this.restartNow());
  private readonly changes = new vscode.EventEmitter<void>();

  /** Fires when answers may be others than before: a server has started, or knows of a change in some document. */
  readonly onDidChange = this.changes.event;

  constructor(
    private readonly channels: Channels,
    private readonly status: Status,
    private readonly bundled: string | undefined,
  ) {}

  restart(): Promise<void> {
    return this.queue.request();
  }

  /** Restarts only when another interpreter would start it now. */
  async reconsider(): Promise<void> {
    const found = await this.find().catch(() => undefined);
    if (!same(found, this.choice) || this.client === undefined) {
      await this.restart();
    }
  }

  /** The answer of one of the server's own commands, once it has started. Rejects when there is no server or it cannot answer. */
  async ask<T>(command: string, ...args: unknown[]): Promise<T> {
    await this.queue.idle();
    if (this.client === undefined || this.client.state === State.Stopped) {
      throw new Error("The PyPTO server is not running.");
    }
    return this.client.sendRequest<T>("workspace/executeCommand", { command, arguments: args });
  }

  get interpreter(): string | undefined {
    return this.choice && `${this.choice.python} (${this.choice.origin}${this.choice.libraries ? ", bundled copy of pto-lsp" : ""})`;
  }

  async stop(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    await client?.dispose();
  }

  dispose(): void {
    this.changes.dispose();
  }

  private find(): Promise<Choice> {
    return choose({
      setting: settings.interpreter(),
      strategy: settings.importStrategy(),
      trusted: vscode.workspace.isTrusted,
      bundled: this.bundled,
      pythonExtension: chosenInterpreter,
      usable: (python, libraries) => startsServer(python, libraries, this.channels.log),
    });
  }

  private async restartNow(): Promise<void> {
    const { log } = this.channels;
    this.status.starting();
    this.choice = undefined;
    try {
      await this.stop();
      const choice = await this.find();
      this.choice = choice;
      log.info(`starting the server with ${this.interpreter}`);
      const client = createClient(choice, this.channels, {
        onHealth: (health) => this.status.take(health),
        onDidTell: () => this.changes.fire(),
      });
      client.onDidChangeState(({ newState }) => this.changed(client, newState));
      this.client = client;
      await client.start();
    } catch (fault) {
      const message = fault instanceof Error ? fault.message : String(fault);
      log.error(message);
      this.status.stopped(message);
      void complain(message, fault instanceof NoInterpreter, log);
    }
  }

  /** Also after a crash, when the client starts the process again by itself. */
  private changed(client: LanguageClient, state: State): void {
    if (client !== this.client) {
      return;
    }
    if (state === State.Running) {
      this.status.running(this.interpreter ?? "");
      this.changes.fire();
    } else if (state === State.Starting) {
      this.status.starting();
    } else {
      this.status.stopped("The server has ended.");
    }
  }
}
