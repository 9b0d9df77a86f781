import type { SessionNotification } from '@agentclientprotocol/sdk';

/** Pieces of one text that are kept as one frame; a longer text goes on in the next. */
const maxTextLength = 16_384;
/** What a piece costs in memory beside its characters. */
const pieceCost = 16;
const textCost = 256;

/** One frame of a conversation as it is kept. It may grow: viewers get what they have not had yet. */
export interface BufferedFrame {
  /** False for what only those who watch at the moment are told. */
  readonly isReplayed: boolean;
  /** How many pieces it has by now; 1 and no more for most. */
  readonly pieces: number;
  /** It will not grow any more. */
  readonly isComplete: boolean;
  /** Estimate of its memory. */
  readonly bytes: number;
  /** JSON of all pieces from this one on. */
  from(piece: number): string;
}

/** A frame that is complete. */
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

/** Adjacent pieces of one message of the agent: what a viewer has not had of it yet goes out as one frame. */
export class TextFrame implements BufferedFrame {
  readonly isReplayed = true;
  private readonly texts: string[] = [];
  private length = 0;
  private isSealed = false;
  /** Several viewers mostly want the same. */
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

  /** Takes no piece any more. */
  seal(): void {
    this.isSealed = true;
    // Its parts are kept; what was made of them for viewers would double them.
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

/** Pieces that differ in their text alone may be joined. */
interface TextPiece {
  readonly sessionId: string;
  readonly kind: string;
  readonly messageId: string | null;
  readonly text: string;
}

/** The text of an update that says nothing beyond it; null for every other, which stays as it is. */
export function textPieceOf({ sessionId, update, _meta }: SessionNotification): TextPiece | null {
  if (update.sessionUpdate !== 'agent_message_chunk' && update.sessionUpdate !== 'agent_thought_chunk')
    return null;
  const { content } = update;
  if (content.type !== 'text' || content.annotations || content._meta || update._meta || _meta) return null;
  return { sessionId, kind: update.sessionUpdate, messageId: update.messageId ?? null, text: content.text };
}
