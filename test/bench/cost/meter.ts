import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { parseUsage, type UsageLine } from './usage.js';

/** Longer than a batch of messages or a report of activity waits. */
const restMs = 4_000;

/** Reads what was used since it was read last. */
export class Meter {
  private seen = 0;

  constructor(private readonly file: string) {}

  take(): readonly UsageLine[] {
    const lines = parseUsage(this.text());
    const fresh = lines.slice(this.seen);
    this.seen = lines.length;
    return fresh;
  }

  /** Nothing more is used for what was done. */
  async rest(): Promise<void> {
    for (let before = -1; before !== this.text().length; ) {
      before = this.text().length;
      await wait(restMs);
    }
  }

  private text(): string {
    return readFileSync(this.file, 'utf8');
  }
}
