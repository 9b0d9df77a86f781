import { Transform, type TransformCallback } from 'node:stream';
import { AgentError } from '../errors.js';

/**
 * A stream passed its limit, or the disk of the node is too full for it. A repeated attempt would
 * end in the same way.
 */
export class StreamLimit extends AgentError {
  constructor(code: 'payload_too_large' | 'insufficient_storage', message: string) {
    super(code, message);
    this.name = 'StreamLimit';
  }
}

/**
 * For streams that live as long as a process, whose readers limit each message instead, and for
 * files that only the free disk limits.
 */
export const endless = Number.POSITIVE_INFINITY;

/** The bytes that a program or an engine may send. */
export class ByteBudget {
  private usedBytes = 0;

  /** @param source begins the message, such as "The files of the workspace" */
  constructor(
    private readonly limitBytes: number,
    private readonly source = 'The output of the command in the workspace',
  ) {}

  /** Null while the stream is within its limit. */
  get failure(): StreamLimit | null {
    if (this.usedBytes <= this.limitBytes) return null;
    return new StreamLimit(
      'payload_too_large',
      `${this.source} exceeded the limit of ${this.limitBytes} bytes`,
    );
  }

  count(bytes: number): void {
    this.usedBytes += bytes;
  }

  /** @throws StreamLimit */
  take(bytes: number): void {
    this.count(bytes);
    const { failure } = this;
    if (failure) throw failure;
  }
}

/** Passes bytes on until the budget is used up, then fails. */
export class BoundedStream extends Transform {
  constructor(private readonly budget: ByteBudget) {
    super();
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.budget.count(chunk.length);
    const { failure } = this.budget;
    if (failure) done(failure);
    else done(null, chunk);
  }
}
