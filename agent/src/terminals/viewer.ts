import type { TerminalServerMessage } from '../../../protocol/terminal.js';

/** The part of a client's socket that terminals use. */
export interface ViewerSocket {
  sendMessage(message: TerminalServerMessage): void;
  /** The bytes are valid until it returns. */
  sendOutput(sessionId: string, offset: number, bytes: Uint8Array): void;
  /** Bytes written that the network has not taken. */
  readonly bufferedBytes: number;
}

/** A client that does not acknowledge its first output within this time never acknowledges. */
const firstAcknowledgementMs = 1_000;

/** Progress of one client in one terminal. */
export class Viewer {
  /** The shell no longer waits for this viewer, which may lose bytes that leave the ring. */
  isLeftBehind = false;
  /** Offset of the next byte to send. */
  sent: number;
  private acknowledged: number;
  private acknowledges: 'not yet' | 'yes' | 'never' = 'not yet';
  private acknowledgeTimer: NodeJS.Timeout | null = null;

  constructor(
    readonly socket: ViewerSocket,
    begin: number,
    /** Called when the client turns out never to acknowledge: its send window is then unlimited. */
    private readonly onNeverAcknowledges: () => void,
  ) {
    this.sent = begin;
    this.acknowledged = begin;
  }

  /** Up to this offset the client has everything; null for a client that never acknowledges. */
  get known(): number | null {
    return this.acknowledges === 'never' ? null : this.acknowledged;
  }

  /** Acknowledgements only grow and never exceed what was sent. */
  acknowledge(offset: number): void {
    this.settle('yes');
    this.acknowledged = Math.min(this.sent, Math.max(offset, this.acknowledged));
  }

  send(sessionId: string, offset: number, bytes: Uint8Array): void {
    this.sent = offset + bytes.length;
    this.socket.sendOutput(sessionId, offset, bytes);
    if (this.acknowledges !== 'not yet' || this.acknowledgeTimer) return;
    this.acknowledgeTimer = setTimeout(() => {
      this.settle('never');
      this.onNeverAcknowledges();
    }, firstAcknowledgementMs);
    this.acknowledgeTimer.unref();
  }

  /** Continues at `offset`, as after a reattach. */
  skipTo(offset: number): void {
    this.sent = offset;
    this.acknowledged = offset;
  }

  /** Whether more may be sent: at most `windowBytes` unacknowledged. */
  hasRoom(windowBytes: number, bufferBytes: number): boolean {
    if (this.socket.bufferedBytes >= bufferBytes) return false;
    return this.acknowledges === 'never' || this.sent - this.acknowledged <= windowBytes;
  }

  /**
   * Bytes up to `end` that the client has not processed. Without acknowledgements: not yet sent.
   */
  lag(end: number): number {
    const bySocket = end - this.sent + this.socket.bufferedBytes;
    if (this.acknowledges === 'never') return bySocket;
    return this.acknowledges === 'yes'
      ? end - this.acknowledged
      : Math.max(bySocket, end - this.acknowledged);
  }

  leave(): void {
    if (this.acknowledgeTimer) clearTimeout(this.acknowledgeTimer);
  }

  private settle(acknowledges: 'yes' | 'never'): void {
    this.leave();
    this.acknowledges = acknowledges;
  }
}
