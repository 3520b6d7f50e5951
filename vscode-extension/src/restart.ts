/** Restarts one after the other: at most one running and one waiting. */

export class RestartQueue {
  private running: Promise<void> | undefined;
  private waiting: Promise<void> | undefined;

  constructor(private readonly restart: () => Promise<void>) {}

  /** Resolves when a restart that began after this call has ended, however it ended. */
  request(): Promise<void> {
    if (this.waiting === undefined && this.running === undefined) {
      return this.begin();
    }
    this.waiting ??= this.running!.then(() => {
      this.waiting = undefined;
      return this.begin();
    });
    return this.waiting;
  }

  /** Resolves when nothing runs and nothing waits. */
  async idle(): Promise<void> {
    while (this.waiting ?? this.running) {
      await (this.waiting ?? this.running);
    }
  }

  private begin(): Promise<void> {
    const run = this.restart()
      .catch(() => undefined)
      .finally(() => {
        if (this.running === run) {
          this.running = undefined;
        }
      });
    this.running = run;
    return run;
  }
}
