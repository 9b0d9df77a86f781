import { agentCloseCodes } from '../../../protocol/agent-frames.js';
import type { FrameBuffer, Position } from './frame-buffer.js';

/** The part of a WebSocket that a conversation uses. */
export interface ViewerSocket {
  /** Calls `taken` once the frame is written or has failed. */
  send(frame: string, taken: () => void): void;
  /** Bytes that are not written to the network yet. */
  readonly bufferedBytes: number;
  close(code: number, reason: string): void;
}

export interface ViewerLimits {
  /** Frames that are not written to the network yet. */
  readonly frames: number;
  readonly bytes: number;
  /** How long a frame may wait in the socket. */
  readonly writeMs: number;
}

interface ViewerOptions {
  readonly limits: ViewerLimits;
  /** The first frame, and the frame after the replay. */
  readonly state: (replayCount: number) => object;
  /** Frames that follow the replay. */
  readonly afterReplay: () => readonly object[];
}

/**
 * The position of one viewer in the frame buffer. A slow viewer gets longer pieces. When the buffer
 * evicts frames that it has not got, it is closed (1013) and gets the replay after a reconnect.
 */
export class Viewer {
  private position: Position;
  private readonly replayEnd: number;
  private isReplaying = true;
  private inFlight = 0;
  private hasEnded = false;
  private deadline: NodeJS.Timeout | null = null;

  constructor(
    private readonly buffer: FrameBuffer,
    private readonly socket: ViewerSocket,
    private readonly options: ViewerOptions,
  ) {
    buffer.seal();
    this.position = { number: buffer.first, piece: 0 };
    this.replayEnd = buffer.end;
    this.sendNow(options.state(buffer.replayCount));
  }

  /** Sends a frame to this viewer only, ahead of buffered frames. */
  sendNow(frame: object): void {
    if (!this.hasEnded) this.write(JSON.stringify(frame));
  }

  /** Sends buffered frames until the limits of the socket are reached. */
  pump(): void {
    while (!this.hasEnded && this.hasRoom()) {
      if (!this.buffer.hasAfter(this.position)) this.close(agentCloseCodes.tooSlow, 'too slow');
      else if (!this.sendNext()) return;
    }
  }

  close(code: number, reason: string): void {
    if (this.hasEnded) return;
    this.end();
    this.socket.close(code, reason);
  }

  /** Called when the socket has closed. */
  end(): void {
    this.hasEnded = true;
    if (this.deadline) clearTimeout(this.deadline);
  }

  /** Returns false when nothing is left to send. */
  private sendNext(): boolean {
    const { number, piece } = this.position;
    if (number < this.buffer.first) return this.toNextFrame();
    if (this.isReplaying && number >= this.replayEnd) return this.endReplay();
    const frame = this.buffer.at(number);
    if (!frame) return false;
    if (piece < frame.pieces && (frame.isReplayed || !this.isReplaying)) {
      this.position = { number, piece: frame.pieces };
      this.write(frame.from(piece));
      return true;
    }
    return frame.isComplete ? this.toNextFrame() : false;
  }

  private toNextFrame(): true {
    this.position = { number: this.position.number + 1, piece: 0 };
    return true;
  }

  private endReplay(): true {
    this.isReplaying = false;
    this.sendNow({ type: 'session_replay_complete' });
    this.sendNow(this.options.state(0));
    for (const frame of this.options.afterReplay()) this.sendNow(frame);
    return true;
  }

  private hasRoom(): boolean {
    const { frames, bytes } = this.options.limits;
    return this.inFlight < frames && this.socket.bufferedBytes < bytes;
  }

  private write(json: string): void {
    this.inFlight += 1;
    this.deadline ??= setTimeout(() => {
      this.close(agentCloseCodes.tooSlow, 'too slow');
    }, this.options.limits.writeMs);
    this.socket.send(json, () => this.onWritten());
  }

  private onWritten(): void {
    this.inFlight -= 1;
    if (this.hasEnded) return;
    if (this.inFlight > 0) this.deadline?.refresh();
    else if (this.deadline) {
      clearTimeout(this.deadline);
      this.deadline = null;
    }
    this.pump();
  }
}
