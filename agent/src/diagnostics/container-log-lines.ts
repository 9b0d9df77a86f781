import { redactText } from '../shared/redact.js';
import type { LogEntry } from './log-ring.js';

/** A line of a container's log, with Docker's own time, which is finer than an entry's. */
export interface ContainerLine {
  readonly entry: LogEntry;
  readonly time: string;
}

/**
 * Parses Docker's log frames from chunks of any size: one byte for the stream, three unused bytes,
 * four bytes of length, then a time and a line.
 */
export class ContainerLogLines {
  private rest: Buffer = Buffer.alloc(0);
  private lastTime = '';

  constructor(private readonly containerName: string) {}

  take(chunk: Buffer): ContainerLine[] {
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    const lines: ContainerLine[] = [];
    let at = 0;
    while (at + 8 <= this.rest.length) {
      const end = at + 8 + this.rest.readUInt32BE(at + 4);
      if (end > this.rest.length) break;
      lines.push(this.line(this.rest[at] === 2, this.rest.toString('utf8', at + 8, end).trimEnd()));
      at = end;
    }
    this.rest = this.rest.subarray(at);
    return lines;
  }

  /** A line in the place of all later ones. */
  cutOff(reason: string): ContainerLine {
    const timestamp = new Date().toISOString();
    const message = `${reason}. Its newest lines are left out`;
    const entry = { timestamp, level: 'warn', source: this.source, message } as const;
    return { entry, time: this.lastTime || timestamp };
  }

  private get source(): string {
    return `docker:${this.containerName}`;
  }

  private line(isError: boolean, text: string): ContainerLine {
    const space = text.indexOf(' ');
    const time = space < 0 ? text : text.slice(0, space);
    const at = Date.parse(time);
    const entry: LogEntry = {
      timestamp: new Date(Number.isNaN(at) ? 0 : at).toISOString(),
      level: isError ? 'error' : 'info',
      source: this.source,
      message: space < 0 ? '' : redactText(text.slice(space + 1)).slice(0, 4_096),
    };
    this.lastTime = time;
    return { entry, time };
  }
}
