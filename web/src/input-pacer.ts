/** A node closes a socket that sends a message of more than 64 KiB. Fewer messages cost less. */
const spacingMs = 45;
const largestBytes = 32_768;

/**
 * Gathers what is typed and pasted into few messages: the first key goes at once, what follows
 * closely goes together.
 */
export class InputPacer implements Disposable {
  private waiting: Uint8Array[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly send: (bytes: Uint8Array<ArrayBuffer>) => void) {}

  type(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.waiting.push(bytes);
    if (this.timer === undefined) this.flush();
  }

  /**
   * Forgets what is not sent: typed blindly into a lost connection, it would come as a surprise
   * later.
   */
  clear(): void {
    this.waiting = [];
  }

  [Symbol.dispose](): void {
    this.clear();
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private flush(): void {
    this.timer = undefined;
    const all = concat(this.waiting);
    if (all.length === 0) return;
    const now = all.slice(0, largestBytes);
    this.waiting = all.length > largestBytes ? [all.slice(largestBytes)] : [];
    this.timer = setTimeout(() => this.flush(), spacingMs);
    this.send(now);
  }
}

function concat(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
