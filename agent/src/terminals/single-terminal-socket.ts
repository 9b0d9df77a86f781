import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import * as z from 'zod/mini';
import type { TerminalServerMessage } from '../../../protocol/terminal.js';
import type { Log } from '../shared/log.js';
import { InputThrottle } from './input-throttle.js';
import { boundedSize } from './pty.js';
import { terminateIfBacklogged, terminateWhenSilent } from './socket-guards.js';
import type { Terminal } from './terminal.js';
import type { TerminalSocketOwner } from './terminal-socket.js';
import type { Terminals } from './terminals.js';
import type { ViewerSocket } from './viewer.js';

const Size = z.object({ rows: z.optional(z.number()), cols: z.optional(z.number()) });
const Message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('input'), data: z.object({ data: z.string() }) }),
  z.object({ type: z.literal('resize'), data: Size }),
  z.object({ type: z.literal('ping') }),
]);

/**
 * Socket for simple clients: one shell per socket, JSON messages; a binary frame is raw input. The
 * shell ends with its socket.
 */
export class SingleTerminalSocket implements ViewerSocket {
  private readonly sessionId = randomUUID();
  private readonly decoder = new TextDecoder();
  private readonly throttle: InputThrottle;
  private terminal: Terminal | null = null;

  // biome-ignore lint/complexity/useMaxParams: each parameter is one dependency, named where it is passed
  constructor(
    private readonly socket: WebSocket,
    private readonly owner: TerminalSocketOwner,
    private readonly terminals: Terminals,
    private readonly log: Log,
  ) {
    this.throttle = new InputThrottle(socket);
    terminateWhenSilent(socket);
    socket.on('message', (data: Buffer, isBinary: boolean) => this.received(data, isBinary));
    socket.on('error', (error) => this.log.debug('Terminal socket failed', { error, ...this.owner }));
    socket.on('close', () => this.end());
  }

  /** Opens the shell. */
  async start(size: z.infer<typeof Size>): Promise<void> {
    try {
      const key = { ...this.owner, sessionId: this.sessionId };
      this.terminal = await this.terminals.open(key, { size: boundedSize(size), name: null });
    } catch (error) {
      this.log.warn('Terminal failed', { error, ...this.owner });
      this.send({ type: 'error', data: 'Failed to create terminal session' });
      this.socket.close(1011);
      return;
    }
    // The client may have disconnected during the open.
    if (this.socket.readyState !== this.socket.OPEN) {
      this.end();
      return;
    }
    this.send({ type: 'session', data: { sessionId: this.sessionId } });
    this.terminal.attach(this, null);
  }

  get bufferedBytes(): number {
    return this.socket.bufferedAmount;
  }

  /** Of all terminal messages, a simple client knows only the end. */
  sendMessage(message: TerminalServerMessage): void {
    if (message.type !== 'session_closed') return;
    this.send(message);
    this.socket.close(1000, 'session closed');
  }

  sendOutput(_: string, __: number, bytes: Uint8Array): void {
    const data = this.decoder.decode(bytes, { stream: true });
    this.socket.send(JSON.stringify({ type: 'output', data: { data } }), () => {
      if (this.socket.bufferedAmount === 0) this.terminal?.drained(this);
    });
  }

  private received(data: Buffer, isBinary: boolean): void {
    // A client may continue to send until it has processed the close.
    if (this.socket.readyState !== this.socket.OPEN || terminateIfBacklogged(this.socket)) return;
    this.throttle.count();
    if (isBinary) {
      this.terminal?.write(data);
      return;
    }
    const message = parse(data);
    if (!message) this.send({ type: 'error', data: 'invalid message' });
    else if (message.type === 'ping') this.send({ type: 'pong' });
    else if (message.type === 'resize') this.terminal?.resize(boundedSize(message.data));
    else this.terminal?.write(Buffer.from(message.data.data));
  }

  private end(): void {
    if (!this.terminal) return;
    this.terminal.detach(this);
    this.terminals
      .close({ ...this.owner, sessionId: this.sessionId })
      .catch((error: unknown) => this.log.debug('Terminal already closed', { error, ...this.owner }));
  }

  private send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }
}

function parse(data: Buffer): z.infer<typeof Message> | null {
  try {
    return Message.parse(JSON.parse(data.toString()));
  } catch {
    return null;
  }
}
