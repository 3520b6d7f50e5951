/** Restarts one after the other: at most one running and one waiting. */

export class RestartQueue {
  private running: Promise<void> | undefined;
  private waiting = false;

  constructor(private readonly restart: () => Promise<void>) {}

  /** Resolves when a restart that began after this call has ended. */
  async request(): Promise<void> {
    if (this.running) {
      this.waiting = true;
      await this.running;
      return;
    }
    this.running = this.drain();
    try {
      await this.running;
    } finally {
      this.running = undefined;
    }
  }

  private async drain(): Promise<void> {
    do {
      this.waiting = false;
      await this.restart();
    } while (this.waiting);
  }
}
