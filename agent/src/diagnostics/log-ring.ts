import type { LogLevel } from '../shared/log.js';

export interface LogEntry {
  readonly timestamp: string;
  readonly level: LogLevel;
  readonly source: string;
  readonly message: string;
  readonly metadata?: unknown;
}

const maxEntries = 10_000;
const maxCharacters = 8_000_000;

/** The newest lines of the agent's own, redacted log, limited in number and size. */
export class LogRing {
  private entries: { readonly entry: LogEntry; readonly size: number }[] = [];
  private size = 0;
  private readonly listeners = new Set<(entry: LogEntry) => void>();

  /** Receives every entry from now on, until the signal. */
  follow(listener: (entry: LogEntry) => void, signal: AbortSignal): void {
    this.listeners.add(listener);
    signal.addEventListener('abort', () => this.listeners.delete(listener), { once: true });
  }

  add(entry: LogEntry): void {
    const size = JSON.stringify(entry).length;
    this.entries.push({ entry, size });
    this.size += size;
    if (this.entries.length > maxEntries || this.size > maxCharacters) this.trim();
    for (const listener of this.listeners) listener(entry);
  }

  /** Oldest first. */
  list(): LogEntry[] {
    return this.entries.map(({ entry }) => entry);
  }

  /** Removes a tenth at a time, so that not every new line moves all others. */
  private trim(): void {
    const kept = this.entries.slice(Math.ceil(this.entries.length / 10));
    this.entries = kept;
    this.size = kept.reduce((sum, { size }) => sum + size, 0);
  }
}
