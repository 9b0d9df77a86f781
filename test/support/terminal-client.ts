import { WebSocket } from 'ws';
import { terminalFrame } from '../../protocol/terminal.js';
import { until } from './until.js';

const ackEveryBytes = 4_000;

interface Message {
  readonly type: string;
  readonly sessionId?: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of any message
  readonly data?: any;
}

/**
 * A client of one terminal session, as the protocol specifies: it counts the bytes it
 * has, acknowledges them, and after a drop asks for what follows. A byte that does not join on to
 * the last is an error.
 */
export class TerminalClient {
  private socket: WebSocket | undefined;
  private chunks: Buffer[] = [];
  private acknowledged = 0;
  private acknowledges = false;
  /** How many bytes of the session have been received. */
  received = 0;
  readonly messages: Message[] = [];
  readonly violations: string[] = [];
  reattachments = 0;
  /** How the node closed the last socket. */
  closeCode: number | undefined;

  constructor(
    readonly sessionId: string,
    private readonly address: { readonly port: number; readonly host: string },
  ) {}

  /**
   * `address.host` is the workspace's own name; the loopback address is dialled, whatever resolves
   * the name here.
   */
  async connect(token: string): Promise<void> {
    const socket = new WebSocket(`ws://127.0.0.1:${this.address.port}/terminal/ws/multi?token=${token}`, {
      headers: { host: this.address.host },
      perMessageDeflate: false,
    });
    this.socket = socket;
    this.acknowledges = false;
    socket.on('message', (data: Buffer, isBinary) => this.take(data, isBinary));
    socket.on('close', (code) => {
      this.closeCode = code;
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => resolve());
      socket.once('error', reject);
      socket.once('unexpected-response', (_request, response) =>
        reject(new Error(`Upgrade answered ${response.statusCode}`)),
      );
    });
  }

  create(): Promise<Message> {
    this.send({ type: 'create_session', sessionId: this.sessionId, data: { rows: 40, cols: 120 } });
    return this.message('session_created');
  }

  async reattach(): Promise<Message> {
    const known = this.messages.length;
    this.send({ type: 'reattach_session', sessionId: this.sessionId, data: { offset: this.received } });
    const answer = await until('session_reattached', () =>
      this.messages.slice(known).find(({ type }) => type === 'session_reattached'),
    );
    this.reattachments += 1;
    return answer;
  }

  type(text: string): void {
    this.send({ type: 'input', sessionId: this.sessionId, data: { data: text } });
  }

  /** Cuts the socket as a lost network does: no closing handshake. */
  drop(): void {
    this.socket?.terminate();
    this.socket = undefined;
  }

  get text(): string {
    if (this.chunks.length > 1) this.chunks = [Buffer.concat(this.chunks)];
    return this.chunks[0]?.toString('latin1') ?? '';
  }

  message(type: string): Promise<Message> {
    return until(`a ${type} message (there are ${JSON.stringify(this.messages)})`, () =>
      this.messages.find((message) => message.type === type),
    );
  }

  private send(message: unknown): void {
    this.socket?.send(JSON.stringify(message));
  }

  private take(data: Buffer, isBinary: boolean): void {
    if (!isBinary) {
      // The agent's own JSON; a frame that is none would throw and fail the test.
      this.messages.push(JSON.parse(data.toString('utf8')) as Message);
      return;
    }
    const idLength = data[1] ?? 0;
    const offset = Number(data.readBigUInt64BE(2 + idLength));
    const bytes = data.subarray(10 + idLength);
    if (data[0] !== terminalFrame.output) this.violations.push(`frame of kind ${data[0]}`);
    if (offset !== this.received) this.violations.push(`bytes at ${offset}, expected at ${this.received}`);
    this.received += bytes.length;
    this.chunks.push(Buffer.from(bytes));
    // The first output at once: a client that is late with it counts as one that never does.
    if (this.acknowledges && this.received - this.acknowledged < ackEveryBytes) return;
    this.acknowledges = true;
    this.acknowledged = this.received;
    this.send({ type: 'ack', sessionId: this.sessionId, data: { offset: this.received } });
  }
}
