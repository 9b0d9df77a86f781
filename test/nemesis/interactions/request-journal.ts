import { existsSync, readFileSync } from 'node:fs';
import { JournalEntry } from '../../support/acp-harness/journal.js';
import type { HarnessEntry } from './interaction-history.js';

/**
 * Requests and decisions in the journal of the harness. It is asked often, so that it reads each
 * line once.
 */
export class RequestJournal {
  private readonly requests = new Map<string, HarnessEntry>();
  private readonly decided = new Map<string, HarnessEntry[]>();
  private position = 0;

  constructor(private readonly path: string) {}

  asked(request: string): HarnessEntry | undefined {
    this.read();
    return this.requests.get(request);
  }

  isDecided(request: string): boolean {
    this.read();
    return this.decided.has(request);
  }

  get all() {
    this.read();
    return { asked: [...this.requests.values()], decisions: [...this.decided.values()].flat() };
  }

  private read(): void {
    if (!existsSync(this.path)) return;
    const content = readFileSync(this.path);
    const end = content.lastIndexOf('\n') + 1;
    const lines = content.subarray(this.position, end).toString().split('\n').filter(Boolean);
    this.position = Math.max(end, this.position);
    for (const line of lines) this.take(JournalEntry.parse(JSON.parse(line)));
  }

  private take({ event, text: request = '', pid, at, data }: JournalEntry): void {
    if (event === 'ask') this.requests.set(request, { request, pid, at });
    if (event !== 'decision') return;
    const others = this.decided.get(request) ?? [];
    this.decided.set(request, [...others, { request, pid, at, decision: String(data) }]);
  }
}
