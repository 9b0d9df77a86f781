import type { Readable } from 'node:stream';

export class LineTooLong extends Error {
  override readonly name = 'LineTooLong';
}

const newline = 0x0a;

/**
 * Lines of a stream, without their ends. No more than `maxBytes` of an unfinished line are ever held.
 * @throws LineTooLong
 */
export async function* messageLines(input: Readable, maxBytes: number): AsyncGenerator<string> {
  const line = new Line(maxBytes);
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      line.add(chunk.subarray(from, end));
      yield line.take();
      from = end + 1;
    }
    line.add(chunk.subarray(from));
  }
  const last = line.take();
  if (last) yield last;
}

/** The parts of one line, as they come. */
class Line {
  private parts: Buffer[] = [];
  private size = 0;

  constructor(private readonly maxBytes: number) {}

  add(part: Buffer): void {
    if (part.length === 0) return;
    this.size += part.length;
    if (this.size > this.maxBytes)
      throw new LineTooLong(`The harness sent a message of more than ${this.maxBytes} bytes`);
    this.parts.push(part);
  }

  take(): string {
    const [only] = this.parts;
    const text = this.parts.length === 1 && only ? only.toString() : Buffer.concat(this.parts).toString();
    this.parts = [];
    this.size = 0;
    return text;
  }
}
