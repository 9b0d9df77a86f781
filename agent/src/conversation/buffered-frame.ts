import type { SessionNotification } from '@agentclientprotocol/sdk';

/** Longest text of one frame, in characters. */
const maxTextLength = 16_384;
/** Estimated bytes of memory of a piece besides its characters. */
const pieceCost = 16;
const textCost = 256;

/** A buffered frame. It may grow; a viewer gets the pieces that it does not have yet. */
export interface BufferedFrame {
  /** False for frames that only the current viewers get. */
  readonly isReplayed: boolean;
  /** Number of pieces so far. */
  readonly pieces: number;
  /** True when no piece can be added. */
  readonly isComplete: boolean;
  /** Estimated memory. */
  readonly bytes: number;
  /** JSON of the pieces from this index on. */
  from(piece: number): string;
}

/** A frame of one piece. */
export class WholeFrame implements BufferedFrame {
  readonly pieces = 1;
  readonly isComplete = true;
  readonly bytes: number;

  constructor(
    private readonly json: string,
    readonly isReplayed: boolean,
  ) {
    this.bytes = json.length + pieceCost;
  }

  from(): string {
    return this.json;
  }
}

/** Joins adjacent text pieces of one message of the agent into one frame. */
export class TextFrame implements BufferedFrame {
  readonly isReplayed = true;
  private readonly texts: string[] = [];
  private length = 0;
  private isSealed = false;
  /** Most viewers ask for the same pieces. */
  private cached: { readonly from: number; readonly to: number; readonly json: string } | null = null;

  constructor(
    private readonly notification: SessionNotification,
    private readonly first: TextPiece,
  ) {
    this.add(first.text);
  }

  get isComplete(): boolean {
    return this.isSealed;
  }

  get pieces(): number {
    return this.texts.length;
  }

  get bytes(): number {
    return this.length + this.texts.length * pieceCost + textCost;
  }

  /** No piece is added after this. */
  seal(): void {
    this.isSealed = true;
    // The cached JSON would double the memory of the pieces.
    this.cached = null;
  }

  canTake({ sessionId, kind, messageId, text }: TextPiece): boolean {
    if (this.isSealed || this.length + text.length > maxTextLength) return false;
    const isSameMessage = sessionId === this.first.sessionId && messageId === this.first.messageId;
    return isSameMessage && kind === this.first.kind;
  }

  add(text: string): void {
    this.texts.push(text);
    this.length += text.length;
  }

  from(piece: number): string {
    const to = this.texts.length;
    if (this.cached?.from !== piece || this.cached.to !== to)
      this.cached = { from: piece, to, json: this.json(this.texts.slice(piece).join('')) };
    return this.cached.json;
  }

  private json(text: string): string {
    const { update, ...rest } = this.notification;
    const params = { ...rest, update: { ...update, content: { type: 'text', text } } };
    return JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params });
  }
}

/** Pieces that differ only in their text can be joined. */
interface TextPiece {
  readonly sessionId: string;
  readonly kind: string;
  readonly messageId: string | null;
  readonly text: string;
}

/** Null for an update that is more than plain text: such updates are not joined. */
export function textPieceOf({ sessionId, update, _meta }: SessionNotification): TextPiece | null {
  if (update.sessionUpdate !== 'agent_message_chunk' && update.sessionUpdate !== 'agent_thought_chunk')
    return null;
  const { content } = update;
  if (content.type !== 'text' || content.annotations || content._meta || update._meta || _meta) return null;
  return { sessionId, kind: update.sessionUpdate, messageId: update.messageId ?? null, text: content.text };
}
