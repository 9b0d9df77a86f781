import type { WebSocket } from 'ws';
import { terminalLimits } from '../../../protocol/terminal.js';
import { TokenBucket } from '../shared/token-bucket.js';

/**
 * Stops reading a socket whose client sends faster than the limit. TCP then slows the client down,
 * and no message is lost.
 */
export class InputThrottle {
  private readonly bucket = new TokenBucket(
    { perSecond: terminalLimits.messagesPerSecond, burst: terminalLimits.messageBurst },
    () => performance.now(),
  );
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly socket: Pick<WebSocket, 'on' | 'pause' | 'resume'>) {
    socket.on('close', () => clearTimeout(this.timer ?? undefined));
  }

  /** Counts a message. Messages that the library has already read are still handled. */
  count(): void {
    const waitMs = this.bucket.spend();
    if (waitMs === 0 || this.timer !== null) return;
    this.socket.pause();
    this.wait(waitMs);
  }

  private wait(ms: number): void {
    this.timer = setTimeout(() => {
      const waitMs = this.bucket.debtMs();
      if (waitMs > 0) return this.wait(waitMs);
      this.timer = null;
      this.socket.resume();
    }, Math.ceil(ms));
  }
}
