import type { SessionNotification } from '@agentclientprotocol/sdk';
import { type BufferedFrame, TextFrame, textPieceOf, WholeFrame } from './buffered-frame.js';

export interface FrameBufferLimits {
  readonly frames: number;
  readonly bytes: number;
}

/** Position of a viewer: the number of a frame and the pieces of it that were sent. */
export interface Position {
  readonly number: number;
  readonly piece: number;
}

/** The last frames of a conversation, with increasing numbers, bounded in count and bytes. */
export class FrameBuffer {
  private readonly frames: BufferedFrame[] = [];
  private bytes = 0;
  private firstNumber = 0;
  private replayedCount = 0;
  private lost = 0;
  private piecesOfEvicted = 0;

  constructor(private readonly limits: FrameBufferLimits) {}

  /** Number of the oldest buffered frame. */
  get first(): number {
    return this.firstNumber;
  }

  /** Number of the next frame. */
  get end(): number {
    return this.firstNumber + this.frames.length;
  }

  /** Number of frames in the replay for a new viewer. */
  get replayCount(): number {
    return this.replayedCount;
  }

  /** Number of evicted frames that the replay lacks. */
  get lostCount(): number {
    return this.lost;
  }

  /** True when a viewer at this position has got every evicted frame. */
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

  /** Later pieces start a new frame, so that a replay has a fixed end. */
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

  /** Never evicts the newest frame, even when it exceeds the limit: viewers must get it. */
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
