import type { Readable } from 'node:stream';

class LineTooLong extends Error {
  override readonly name = 'LineTooLong';
}

const newline = 0x0a;

/**
 * Yields the lines that each chunk of a stream completes. Buffers at most `maxBytes` of a line.
 * @throws LineTooLong, after the lines before it
 */
export async function* messageLines(input: Readable, maxBytes: number): AsyncGenerator<readonly string[]> {
  const line = new Line(maxBytes);
  for await (const chunk of input as AsyncIterable<Buffer>) {
    const lines: string[] = [];
    const error = split(chunk, line, lines);
    if (lines.length > 0) yield lines;
    if (error) throw error;
  }
  const last = line.take();
  if (last) yield [last];
}

function split(chunk: Buffer, line: Line, lines: string[]): LineTooLong | null {
  let from = 0;
  for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
    if (!line.add(chunk.subarray(from, end))) return line.tooLong;
    lines.push(line.take());
    from = end + 1;
  }
  return line.add(chunk.subarray(from)) ? null : line.tooLong;
}

/** The chunks of one line. */
class Line {
  private parts: Buffer[] = [];
  private size = 0;

  constructor(private readonly maxBytes: number) {}

  get tooLong(): LineTooLong {
    return new LineTooLong(`Harness sent a message of more than ${this.maxBytes} bytes`);
  }

  /** Returns false when the line is too long. */
  add(part: Buffer): boolean {
    if (part.length === 0) return true;
    this.size += part.length;
    if (this.size > this.maxBytes) return false;
    this.parts.push(part);
    return true;
  }

  take(): string {
    const [only] = this.parts;
    const text = this.parts.length === 1 && only ? only.toString() : Buffer.concat(this.parts).toString();
    this.parts = [];
    this.size = 0;
    return text;
  }
}

/** The fields of a JSON-RPC message that decide its route. */
export interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: unknown;
}

/**
 * Tools of a harness may print to its standard output. More than this between two messages is no
 * such output, and reading it would take the processor from everything else.
 */
const maxOtherCharacters = 16 * 1_024 * 1_024;

class TooMuchOtherOutput extends Error {
  override readonly name = 'TooMuchOtherOutput';

  constructor() {
    super(`Harness printed more than ${maxOtherCharacters} characters that are no message`);
  }
}

/** Finds the messages among the lines of a harness. */
export class Messages {
  private otherCharacters = 0;

  /** Null for other output. @throws TooMuchOtherOutput */
  parse(line: string): Message | null {
    const message = parseMessage(line);
    this.otherCharacters = message ? 0 : this.otherCharacters + line.length + 1;
    if (this.otherCharacters > maxOtherCharacters) throw new TooMuchOtherOutput();
    return message;
  }
}

const beginsAsObject = /^\s*\{/;

function parseMessage(line: string): Message | null {
  // An exception for each of many lines would take seconds.
  if (!beginsAsObject.test(line)) return null;
  try {
    const value: unknown = JSON.parse(line);
    return isMessage(value) ? value : null;
  } catch {
    return null;
  }
}

/** Checked by hand: a schema would copy each of 10,000 messages a second. */
function isMessage(value: unknown): value is Message {
  if (typeof value !== 'object' || value === null) return false;
  if (!('jsonrpc' in value) || value.jsonrpc !== '2.0') return false;
  if ('method' in value && typeof value.method !== 'string') return false;
  return (
    !('id' in value) || value.id === null || typeof value.id === 'string' || typeof value.id === 'number'
  );
}
