import type { TerminalServerMessage } from '../../../protocol/terminal.js';

/** The socket of one client, as far as terminals care. */
export interface ViewerSocket {
  sendMessage(message: TerminalServerMessage): void;
  sendOutput(sessionId: string, offset: number, bytes: Uint8Array): void;
  /** Bytes handed over that the network has not taken. */
  readonly bufferedBytes: number;
}

/** How far one client has followed one terminal. */
export class Viewer {
  /** How far the client says it got; null while it has never said. */
  acknowledged: number | null = null;

  constructor(
    readonly socket: ViewerSocket,
    /** Offset of the next byte to send. */
    public sent: number,
  ) {}

  /** Acknowledgements only grow, and never pass what was sent. */
  acknowledge(offset: number): void {
    this.acknowledged = Math.min(this.sent, Math.max(offset, this.acknowledged ?? 0));
  }

  /** Bytes up to `end` that this client has not processed; one that never acknowledges counts by its socket. */
  lag(end: number): number {
    if (this.acknowledged !== null) return end - this.acknowledged;
    return end - this.sent + this.socket.bufferedBytes;
  }
}
