/**
 * A message that streams is told in parts that grow with its age: the more there is, the less often there is news. How it
 * begins is told at once.
 */
const partMs = { first: 300, least: 1_000, most: 45_000, ofAge: 4 } as const;
/** From here on each part takes twice as long as the one before, so that no message, however slow, has many more. */
const usualParts = 40;

/** Text of one message while it arrives piece by piece. */
export class StreamingText {
  private parts = 0;
  /** The first half of a character whose second half is in the next piece. */
  private half = '';

  constructor(
    readonly key: string,
    private readonly startedAt: number,
  ) {}

  /** What of this piece, and of what was kept of the one before, is whole characters. */
  take(piece: string): string {
    const text = this.half + piece;
    this.half = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : '';
    return this.half === '' ? text : text.slice(0, -1);
  }

  /** Whether the part that began then has grown long enough to be told. The next one begins with that. */
  endsPart(partStartedAt: number, now: number): boolean {
    const least = this.parts === 0 ? partMs.first : partMs.least;
    const usual = Math.min(Math.max((now - this.startedAt) / partMs.ofAge, least), partMs.most);
    if (now - partStartedAt < usual * 2 ** Math.max(0, this.parts - usualParts)) return false;
    this.parts += 1;
    return true;
  }
}
