/** The end of a long output, in bounded memory. */
export class OutputTail {
  private kept = Buffer.alloc(0);

  constructor(private readonly maxBytes: number) {}

  add(chunk: Buffer): void {
    const all = Buffer.concat([this.kept, chunk]);
    // A copy, so that the whole is not kept for the sake of its end.
    this.kept = all.length > this.maxBytes ? Buffer.from(all.subarray(-this.maxBytes)) : all;
  }

  get text(): string {
    return this.kept.toString('utf8');
  }
}
