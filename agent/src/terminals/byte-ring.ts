const firstBytes = 4_096;

/**
 * The last bytes that a terminal wrote, addressed by absolute offset: the number of bytes that the
 * terminal had written before.
 */
export class ByteRing {
  /** Grows on demand up to `capacity`; most terminals write little. Wraps only at full capacity. */
  private buffer = Buffer.alloc(0);
  private written = 0;

  constructor(private readonly capacity: number) {}

  /** Offset after the newest byte. */
  get end(): number {
    return this.written;
  }

  /** Offset of the oldest byte still held. */
  get start(): number {
    return Math.max(0, this.written - this.capacity);
  }

  append(bytes: Uint8Array): void {
    this.growTo(Math.min(this.written + bytes.length, this.capacity));
    const end = (this.written % this.capacity) + bytes.length;
    // The frequent case, one key at a time: no wrap.
    if (end <= this.capacity) {
      this.buffer.set(bytes, end - bytes.length);
      this.written += bytes.length;
      return;
    }
    const kept = bytes.subarray(Math.max(0, bytes.length - this.capacity));
    this.written += bytes.length - kept.length;
    const at = this.written % this.capacity;
    const head = kept.subarray(0, this.capacity - at);
    this.buffer.set(head, at);
    this.buffer.set(kept.subarray(head.length), 0);
    this.written += kept.length;
  }

  /**
   * Returns at most `maxBytes` from `offset` on, valid until the next append; skips bytes that the
   * ring no longer holds. The result ends early where the ring wraps: read again for the rest.
   */
  read(offset: number, maxBytes: number): { readonly offset: number; readonly bytes: Uint8Array } {
    const from = Math.min(Math.max(offset, this.start), this.written);
    const at = from % this.capacity;
    const length = Math.min(this.written - from, maxBytes);
    return { offset: from, bytes: this.buffer.subarray(at, Math.min(at + length, this.capacity)) };
  }

  private growTo(length: number): void {
    if (length <= this.buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(
      Math.min(this.capacity, Math.max(length, 2 * this.buffer.length, firstBytes)),
    );
    larger.set(this.buffer);
    this.buffer = larger;
  }
}
