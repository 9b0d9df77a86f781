import type { SessionNotification } from '@agentclientprotocol/sdk';
import { type BufferedFrame, TextFrame, textPieceOf, WholeFrame } from './buffered-frame.js';

export interface FrameBufferLimits {
  readonly frames: number;
  readonly bytes: number;
}

/** How far a viewer is: so many pieces of that frame, and all before it. */
export interface Position {
  readonly number: number;
  readonly piece: number;
}

/** The last frames of a conversation, under numbers that never come again; bounded in number and in bytes. */
export class FrameBuffer {
  private readonly frames: BufferedFrame[] = [];
  private bytes = 0;
  private firstNumber = 0;
  private replayedCount = 0;
  private lost = 0;
  private piecesOfEvicted = 0;

  constructor(private readonly limits: FrameBufferLimits) {}

  /** Number of the oldest frame that is still there. */
  get first(): number {
    return this.firstNumber;
  }

  /** Number of the frame that comes next. */
  get end(): number {
    return this.firstNumber + this.frames.length;
  }

  /** Frames that a viewer who comes now is shown. */
  get replayCount(): number {
    return this.replayedCount;
  }

  /** Frames that such a viewer would have been shown, had there been room for them. */
  get lostCount(): number {
    return this.lost;
  }

  /** Whether a viewer at this place has had all that is not there any more. */
  hasAfter({ number, piece }: Position): boolean {
    if (number >= this.firstNumber) return true;
    return number === this.firstNumber - 1 && piece === this.piecesOfEvicted;
  }

  at(number: number): BufferedFrame | undefined {
    return this.frames[number - this.firstNumber];
  }

  addFrame(frame: object, { isReplayed }: { readonly isReplayed: boolean }): void {
    this.push(new WholeFrame(JSON.stringify(frame), isReplayed));
  }

  addUpdate(notification: SessionNotification): void {
    const piece = textPieceOf(notification);
    if (!piece) {
      this.addFrame({ jsonrpc: '2.0', method: 'session/update', params: notification }, { isReplayed: true });
      return;
    }
    const last = this.frames.at(-1);
    if (last instanceof TextFrame && last.canTake(piece)) {
      const before = last.bytes;
      last.add(piece.text);
      this.bytes += last.bytes - before;
      this.trim();
      return;
    }
    this.push(new TextFrame(notification, piece));
  }

  /** What comes from now on does not join what is there: a replay has a clear end. */
  seal(): void {
    const last = this.frames.at(-1);
    if (last instanceof TextFrame) last.seal();
  }

  private push(frame: BufferedFrame): void {
    this.seal();
    this.frames.push(frame);
    this.bytes += frame.bytes;
    if (frame.isReplayed) this.replayedCount += 1;
    this.trim();
  }

  /** The newest stays even when it alone is too large: those who watch must get it. */
  private trim(): void {
    while (this.frames.length > this.limits.frames || this.bytes > this.limits.bytes) {
      if (this.frames.length === 1) return;
      const oldest = this.frames.shift();
      if (!oldest) return;
      this.firstNumber += 1;
      this.piecesOfEvicted = oldest.pieces;
      this.bytes -= oldest.bytes;
      if (!oldest.isReplayed) continue;
      this.replayedCount -= 1;
      this.lost += 1;
    }
  }
}
