import { Transform, type TransformCallback } from 'node:stream';

const mark = Buffer.from('\nberth: the output is complete\n');

/**
 * The script, which prints the mark after its output when it succeeds. A connection to the engine
 * that is cut ends the output like a script does, and the script may succeed all the same.
 */
export function markedScript(text: string, args: readonly string[]): string[] {
  const marked = `/bin/sh -c "$0" sh "$@" && printf %s "${mark.toString()}"`;
  return ['/bin/sh', '-c', marked, text, ...args];
}

/** Takes the mark away. */
export class WithoutEndMark extends Transform {
  private tail: Buffer = Buffer.alloc(0);

  /** Whether the output ended with the mark; known at its end. */
  get isComplete(): boolean {
    return this.tail.equals(mark);
  }

  /** @throws when a part of the output of a script that succeeded is missing */
  check(exitCode: number | null): void {
    if (exitCode === 0 && !this.isComplete) throw new Error('The output of a snapshot script was cut off');
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    const all = this.tail.length === 0 ? chunk : Buffer.concat([this.tail, chunk]);
    this.tail = Buffer.from(all.subarray(-mark.length));
    done(null, all.subarray(0, all.length - this.tail.length));
  }

  override _flush(done: TransformCallback): void {
    done(null, this.isComplete ? undefined : this.tail);
  }
}
