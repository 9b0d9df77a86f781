import { Transform, type TransformCallback } from 'node:stream';

const mark = Buffer.from('\nberth: the output is complete\n');

/**
 * The script, which prints the mark after its output when it succeeds. A connection to the engine
 * that is cut ends the output like a script does, and the script may succeed all the same.
 */
export function markedScript(text: string, args: readonly string[]): string[] {
  const marked = `(eval "$0") && printf %s "${mark.toString()}"`;
  return ['/bin/sh', '-c', marked, text, ...args];
}

/** Takes the mark away. Copies no chunk that is longer than the mark. */
export class WithoutEndMark extends Transform {
  /** The last chunk, or the end of the last chunks: long enough to hold the mark. */
  private held: Buffer = Buffer.alloc(0);

  /** @param verify throws when the script failed, before the output ends */
  constructor(private readonly verify: () => Promise<void> = async () => undefined) {
    super();
  }

  /** Whether the output ended with the mark; known at its end. */
  get isComplete(): boolean {
    return this.held.subarray(-mark.length).equals(mark);
  }

  /** @throws when a part of the output of a script that succeeded is missing */
  check(exitCode: number | null): void {
    if (exitCode === 0 && !this.isComplete) throw new Error('The output of a snapshot script was cut off');
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    const isLong = chunk.length >= mark.length;
    const all = isLong ? this.held : Buffer.concat([this.held, chunk]);
    const length = isLong ? all.length : Math.max(0, all.length - mark.length);
    this.held = isLong ? chunk : all.subarray(length);
    done(null, all.subarray(0, length));
  }

  override _flush(done: TransformCallback): void {
    const { held, isComplete } = this;
    const rest = isComplete ? held.subarray(0, held.length - mark.length) : held;
    this.verify().then(() => done(null, rest), done);
  }
}
