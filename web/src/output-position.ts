/**
 * Absolute offset up to which the output of a terminal session was received. Repeated bytes are
 * skipped and lost bytes are counted.
 */
export class OutputPosition {
  private next: number | null = null;

  /** Where to continue; null before anything was received. */
  get offset(): number | null {
    return this.next;
  }

  /** A new session begins. */
  reset(): void {
    this.next = null;
  }

  /** The bytes that follow begin at `offset`. */
  continueAt(offset: number): void {
    this.next = offset;
  }

  /** What of these bytes is new, and how many bytes before them never came. */
  take(offset: number, bytes: Uint8Array): { readonly fresh: Uint8Array; readonly missing: number } {
    const expected = this.next ?? offset;
    const end = offset + bytes.length;
    const fresh = bytes.subarray(Math.min(bytes.length, Math.max(0, expected - offset)));
    this.next = Math.max(expected, end);
    return { fresh, missing: Math.max(0, offset - expected) };
  }
}
