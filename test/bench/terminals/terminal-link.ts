import WebSocket from 'ws';
import { decodeTerminalFrame, encodeInputFrame } from '../../../protocol/terminal-frames.js';

export interface LinkTarget {
  readonly kind: 'agent' | 'bare';
  readonly url: string;
  readonly ca: string;
}

/**
 * One client of a shell, the same for the agent and for the bare server but for the form of its
 * frames.
 */
export class TerminalLink {
  onBytes: (bytes: Uint8Array) => void = () => undefined;
  readonly closed: Promise<unknown>;

  private constructor(
    private readonly socket: WebSocket,
    private readonly kind: LinkTarget['kind'],
    private readonly sessionId: string,
  ) {
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (kind === 'bare') this.onBytes(data);
      else if (isBinary) this.take(data);
      else failIfRefused(data);
    });
  }

  static async open({ kind, url, ca }: LinkTarget, sessionId: string): Promise<TerminalLink> {
    const socket = new WebSocket(url, { ca, perMessageDeflate: false });
    const link = new TerminalLink(socket, kind, sessionId);
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    if (kind === 'agent') socket.send(JSON.stringify({ type: 'create_session', sessionId }));
    return link;
  }

  type(text: string): void {
    const bytes = Buffer.from(text);
    this.socket.send(this.kind === 'bare' ? bytes : encodeInputFrame(this.sessionId, bytes));
  }

  /**
   * Types a command and resolves when its output has this word, which the echo of the command must
   * not hold.
   */
  async run(command: string, word: string): Promise<void> {
    let seen = '';
    await new Promise<void>((resolve) => {
      this.onBytes = (bytes) => {
        seen = (seen + Buffer.from(bytes).toString('latin1')).slice(-1_000);
        if (seen.includes(word)) resolve();
      };
      this.type(command);
    });
  }

  close(): void {
    this.socket.terminate();
  }

  private take(data: Buffer): void {
    const frame = decodeTerminalFrame(data);
    if (frame?.kind !== 'output') return;
    this.onBytes(frame.bytes);
    const offset = frame.offset + frame.bytes.length;
    this.socket.send(JSON.stringify({ type: 'ack', sessionId: this.sessionId, data: { offset } }));
  }
}

/** Ends the benchmark: a terminal that was refused would be waited for. */
function failIfRefused(data: Buffer): void {
  const message: { readonly type?: string } = JSON.parse(data.toString());
  if (message.type === 'error') throw new Error(`The agent refused a terminal: ${data}`);
}
