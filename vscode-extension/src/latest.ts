/** Work that is asked for more often than it can be done, such as drawing what a file says while somebody types in it. */

export class Latest {
  private running = false;
  private waiting = false;

  /** `work` handles its own failures. */
  constructor(private readonly work: () => Promise<void>) {}

  /** Begins at once when nothing runs, else once more afterwards, however often it was asked for. */
  async request(): Promise<void> {
    this.waiting = true;
    if (this.running) {
      return;
    }
    this.running = true;
    try {
      while (this.waiting) {
        this.waiting = false;
        await this.work();
      }
    } finally {
      this.running = false;
    }
  }
}
