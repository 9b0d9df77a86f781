import { randomUUID } from 'node:crypto';
import type { ConversationMessage } from '../../../protocol/agent-callbacks.js';

/** A message under construction. Writing it again replaces the stored one. */
export class Draft {
  isOpen: boolean;
  /** The outbox had no room for it. */
  isDropped = false;
  /** Changed since the last write. */
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

export interface NewDraft {
  readonly messageId?: string;
  readonly role: Draft['fields']['role'];
  readonly content: string;
  readonly origin?: 'user' | 'system';
  readonly toolMetadata?: Readonly<Record<string, unknown>>;
}

export function newDraft(
  message: NewDraft,
  startedAt: Date,
  { isOpen }: { readonly isOpen: boolean },
): Draft {
  const { messageId = randomUUID(), role, content, origin = null, toolMetadata = null } = message;
  return new Draft({ messageId, role, origin, toolMetadata, startedAt }, content, { isOpen });
}

/** A streaming message is sent in parts. Their interval grows with the age of the message. */
const partMs = { first: 300, least: 1_000, most: 45_000, ofAge: 4 } as const;
/** After this many parts the interval doubles with each part. This bounds the number of parts. */
const usualParts = 40;

/** Text of one message that arrives in pieces. */
export class StreamingText {
  private parts = 0;
  /** A high surrogate whose low surrogate is in the next piece. */
  private half = '';

  constructor(
    readonly key: string,
    private readonly startedAt: number,
  ) {}

  /** Returns the whole characters of this piece and the kept half. */
  take(piece: string): string {
    const text = this.half + piece;
    this.half = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : '';
    return this.half === '' ? text : text.slice(0, -1);
  }

  /** True when the part that began at this time is due. Counts the part. */
  endsPart(partStartedAt: number, now: number): boolean {
    const least = this.parts === 0 ? partMs.first : partMs.least;
    const usual = Math.min(Math.max((now - this.startedAt) / partMs.ofAge, least), partMs.most);
    if (now - partStartedAt < usual * 2 ** Math.max(0, this.parts - usualParts)) return false;
    this.parts += 1;
    return true;
  }
}
