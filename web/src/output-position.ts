/**
 * How far the output of a terminal session has come here, in its own absolute offsets. Nothing is
 * shown twice, and what is missing is known.
 */
export class OutputPosition {
  private next: number | null = null;

  /** Where to continue; null before anything was received. */
  get offset(): number | null {
    return this.next;
  }

  /** The session begins anew, or another does. */
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
