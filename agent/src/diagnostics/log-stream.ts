import type { WebSocket } from 'ws';
import type { LogEntry } from './log-ring.js';

/** Entries are skipped while a client has more unsent bytes than this. */
const maxBufferedBytes = 1_024 * 1_024;

export interface LogStreamTimes {
  readonly pingIntervalMs: number;
  readonly pingWriteTimeoutMs: number;
  readonly pongTimeoutMs: number;
}

/**
 * One client of a log stream: receives entries, is kept alive by pings, and has bounded unsent
 * data.
 */
export class LogStream {
  private readonly closed = new AbortController();
  private skipped = 0;

  constructor(
    private readonly socket: WebSocket,
    private readonly times: LogStreamTimes,
  ) {
    const pings = setInterval(() => this.ping(), times.pingIntervalMs);
    const silence = setTimeout(() => socket.terminate(), times.pongTimeoutMs);
    socket.on('pong', () => silence.refresh());
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      clearInterval(pings);
      clearTimeout(silence);
      this.closed.abort();
    });
  }

  /** Aborts when the socket closes. */
  get signal(): AbortSignal {
    return this.closed.signal;
  }

  send(entry: LogEntry): void {
    if (this.socket.bufferedAmount > maxBufferedBytes) {
      this.skipped += 1;
      return;
    }
    if (this.skipped > 0) this.fail(`${this.skipped} entries were skipped: the client reads too slowly`);
    this.skipped = 0;
    this.write({ type: 'log', entry });
  }

  fail(message: string): void {
    this.write({ type: 'error', message });
  }

  private write(frame: object): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(JSON.stringify(frame));
  }

  private ping(): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    const tooLate = setTimeout(() => this.socket.terminate(), this.times.pingWriteTimeoutMs);
    this.socket.ping(undefined, undefined, () => clearTimeout(tooLate));
  }
}
