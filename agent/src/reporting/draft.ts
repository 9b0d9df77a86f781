import type { ConversationMessage } from '../../../protocol/agent-callbacks.js';

/** A message in the making; what is written of it can be written anew. */
export class Draft {
  isOpen: boolean;
  /** There was no room for it. */
  isDropped = false;
  /** Changed since it was written. */
  isDirty = true;
  private text: string;
  private readonly pieces: string[] = [];
  bytes: number;

  constructor(
    readonly fields: {
      readonly messageId: string;
      readonly role: ConversationMessage['role'];
      readonly origin: 'user' | 'system' | null;
      readonly toolMetadata: Readonly<Record<string, unknown>> | null;
      readonly startedAt: Date;
    },
    content: string,
    { isOpen }: { readonly isOpen: boolean },
  ) {
    this.text = content;
    this.bytes = Buffer.byteLength(content);
    this.isOpen = isOpen;
  }

  get content(): string {
    if (this.pieces.length > 0) this.text += this.pieces.splice(0).join('');
    return this.text;
  }

  add(piece: string, bytes: number): void {
    this.pieces.push(piece);
    this.bytes += bytes;
    this.isDirty = true;
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.isDirty = true;
  }
}

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
