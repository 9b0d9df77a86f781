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
