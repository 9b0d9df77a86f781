/**
 * The last bytes a terminal wrote, addressed by their absolute offset: how many bytes the terminal had written
 * before them since it was opened.
 */
export class ByteRing {
  private readonly buffer: Buffer;
  private written = 0;

  constructor(private readonly capacity: number) {
    this.buffer = Buffer.alloc(capacity);
  }

  /** Offset just after the newest byte. */
  get end(): number {
    return this.written;
  }

  /** Offset of the oldest byte still held. */
  get start(): number {
    return Math.max(0, this.written - this.capacity);
  }

  append(bytes: Uint8Array): void {
    const kept = bytes.subarray(Math.max(0, bytes.length - this.capacity));
    this.written += bytes.length - kept.length;
    const at = this.written % this.capacity;
    const head = kept.subarray(0, this.capacity - at);
    this.buffer.set(head, at);
    this.buffer.set(kept.subarray(head.length), 0);
    this.written += kept.length;
  }

  /**
   * At most `maxBytes` from `offset` on, good until more is appended; what is no longer held is skipped. Where the ring begins
   * anew it ends early: what follows is got by reading on.
   */
  read(offset: number, maxBytes: number): { readonly offset: number; readonly bytes: Uint8Array } {
    const from = Math.min(Math.max(offset, this.start), this.written);
    const at = from % this.capacity;
    const length = Math.min(this.written - from, maxBytes);
    return { offset: from, bytes: this.buffer.subarray(at, Math.min(at + length, this.capacity)) };
  }
}
