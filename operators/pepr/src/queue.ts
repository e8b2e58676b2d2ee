/** Calls a function for keys: several at a time, each key once at a time, and one that failed again after a while. */
export class Queue {
  private readonly waiting = new Set<string>();
  private readonly running = new Set<string>();
  private readonly failures = new Map<string, number>();

  constructor(
    private readonly work: (key: string) => Promise<void>,
    private readonly workers: number,
    private readonly retryFirst = 5,
    private readonly retryMost = 10_000,
  ) {}

  /** A key that waits already is not added again; one that is worked on is worked on once more. */
  add(key: string): void {
    this.waiting.add(key);
    this.next();
  }

  /** Adds a key after some milliseconds. */
  later(key: string, delay: number): void {
    setTimeout(() => this.add(key), delay).unref();
  }

  private next(): void {
    for (const key of this.waiting) {
      if (this.running.size >= this.workers) return;
      if (this.running.has(key)) continue;
      this.waiting.delete(key);
      this.running.add(key);
      void this.run(key).finally(() => {
        this.running.delete(key);
        this.next();
      });
    }
  }

  private async run(key: string): Promise<void> {
    try {
      await this.work(key);
      this.failures.delete(key);
    } catch (error) {
      const failures = this.failures.get(key) ?? 0;
      this.failures.set(key, failures + 1);
      console.error(`${key}: ${error}`);
      this.later(key, Math.min(this.retryFirst * 2 ** failures, this.retryMost));
    }
  }
}
