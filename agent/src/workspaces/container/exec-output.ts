import { Transform, type TransformCallback } from 'node:stream';
import { keptStderrBytes } from '../command.js';

const headerBytes = 8;
const stderrKind = 2;

/**
 * Takes the two streams apart that Docker sends as one: frames of a kind, three zeros, a length and bytes. Standard
 * output passes at the reader's pace; of standard error the end is kept.
 * https://docs.docker.com/reference/api/engine/ (attach, "Stream format")
 */
export class ExecOutput extends Transform {
  stderr = '';
  private header = Buffer.alloc(0);
  private kind = 0;
  private left = 0;

  constructor(private readonly onStderr: (chunk: Buffer) => void = () => undefined) {
    super();
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    let rest = chunk;
    while (rest.length > 0) rest = this.left > 0 ? this.takeBytes(rest) : this.takeHeader(rest);
    done();
  }

  private takeHeader(chunk: Buffer): Buffer {
    const missing = headerBytes - this.header.length;
    this.header = Buffer.concat([this.header, chunk.subarray(0, missing)]);
    if (this.header.length === headerBytes) {
      this.kind = this.header[0] ?? 0;
      this.left = this.header.readUInt32BE(4);
      this.header = Buffer.alloc(0);
    }
    return chunk.subarray(missing);
  }

  private takeBytes(chunk: Buffer): Buffer {
    const bytes = chunk.subarray(0, this.left);
    this.left -= bytes.length;
    if (this.kind !== stderrKind) this.push(bytes);
    else {
      this.stderr = (this.stderr + bytes).slice(-keptStderrBytes);
      this.onStderr(bytes);
    }
    return chunk.subarray(bytes.length);
  }
}
