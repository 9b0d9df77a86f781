import type { TerminalServerMessage } from '../../../protocol/terminal.js';

/** The socket of one client, as far as terminals care. */
export interface ViewerSocket {
  sendMessage(message: TerminalServerMessage): void;
  /** The bytes are the socket's until it returns. */
  sendOutput(sessionId: string, offset: number, bytes: Uint8Array): void;
  /** Bytes handed over that the network has not taken. */
  readonly bufferedBytes: number;
}

/** How long a client has to acknowledge what it is sent first, until it is taken for one that never does. */
const firstAcknowledgementMs = 1_000;

/** How far one client has followed one terminal. */
export class Viewer {
  /** Others go on without it; what it misses beyond the ring is lost to it. */
  isLeftBehind = false;
  /** Offset of the next byte to send. */
  sent: number;
  private acknowledged: number;
  private acknowledges: 'not yet' | 'yes' | 'never' = 'not yet';
  private patience: NodeJS.Timeout | null = null;

  constructor(
    readonly socket: ViewerSocket,
    begin: number,
    /** It turned out that the client acknowledges nothing: it has more room than it seemed. */
    private readonly onNever: () => void,
  ) {
    this.sent = begin;
    this.acknowledged = begin;
  }

  /** Up to where the client is known to have everything; null for one that does not say. */
  get known(): number | null {
    return this.acknowledges === 'never' ? null : this.acknowledged;
  }

  /** Acknowledgements only grow, and never pass what was sent. */
  acknowledge(offset: number): void {
    this.settle('yes');
    this.acknowledged = Math.min(this.sent, Math.max(offset, this.acknowledged));
  }

  send(sessionId: string, offset: number, bytes: Uint8Array): void {
    this.sent = offset + bytes.length;
    this.socket.sendOutput(sessionId, offset, bytes);
    if (this.acknowledges !== 'not yet' || this.patience) return;
    this.patience = setTimeout(() => {
      this.settle('never');
      this.onNever();
    }, firstAcknowledgementMs);
    this.patience.unref();
  }

  /** Goes on at `offset`, as if it had asked for it. */
  skipTo(offset: number): void {
    this.sent = offset;
    this.acknowledged = offset;
  }

  /** Whether it may be sent more: one that acknowledges is never sent more than so many bytes ahead. */
  hasRoom(windowBytes: number, bufferBytes: number): boolean {
    if (this.socket.bufferedBytes >= bufferBytes) return false;
    return this.acknowledges === 'never' || this.sent - this.acknowledged <= windowBytes;
  }

  /** Bytes up to `end` that this client has not processed; one that never acknowledges counts by its socket. */
  lag(end: number): number {
    const bySocket = end - this.sent + this.socket.bufferedBytes;
    if (this.acknowledges === 'never') return bySocket;
    return this.acknowledges === 'yes'
      ? end - this.acknowledged
      : Math.max(bySocket, end - this.acknowledged);
  }

  leave(): void {
    if (this.patience) clearTimeout(this.patience);
  }

  private settle(acknowledges: 'yes' | 'never'): void {
    this.leave();
    this.acknowledges = acknowledges;
  }
}
