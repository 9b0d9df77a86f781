import { vi } from 'vitest';
import WebSocket from 'ws';
import type { TerminalServerMessage } from '../../../protocol/terminal.js';
import { decodeTerminalFrame, encodeInputFrame } from '../../../protocol/terminal-frames.js';
import type { AgentProcess } from './agent-process.js';

/** A client that checks that no byte is lost or repeated, and acknowledges what it has seen. */
export class TerminalClient {
  readonly messages: TerminalServerMessage[] = [];
  text = '';
  /** Offset of the next byte expected; null until the first. */
  offset: number | null = null;
  gaps = 0;
  closed: { readonly code: number; readonly reason: string } | null = null;
  isAcknowledging = true;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (!isBinary) this.messages.push(JSON.parse(data.toString()));
      else this.take(data);
    });
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
    });
    socket.on('error', () => undefined);
  }

  static async open(agent: AgentProcess, token: string): Promise<TerminalClient> {
    const url = `wss://127.0.0.1:${agent.port}/terminal/ws/multi?token=${token}`;
    const trust = { ca: agent.certificate(), servername: agent.serverName };
    const client = new TerminalClient(new WebSocket(url, trust));
    await new Promise<void>((resolve, reject) => {
      client.socket.once('open', resolve);
      client.socket.once('unexpected-response', (_, response) =>
        reject(new Error(`refused with ${response.statusCode}`)),
      );
      client.socket.once('error', reject);
    });
    return client;
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  type(sessionId: string, text: string): void {
    this.socket.send(encodeInputFrame(sessionId, Buffer.from(text)));
  }

  async waitFor(type: TerminalServerMessage['type'], timeout = 30_000) {
    return vi.waitFor(
      () => {
        const found = this.messages.find((message) => message.type === type);
        if (!found) throw new Error(`no ${type} in ${JSON.stringify(this.messages)}`);
        return found;
      },
      { timeout, interval: 10 },
    );
  }

  async waitForText(pattern: RegExp, timeout = 15_000): Promise<RegExpExecArray> {
    return vi.waitFor(
      () => {
        const found = pattern.exec(this.text);
        if (!found) throw new Error(`no ${pattern} in ${JSON.stringify(this.text.slice(-500))}`);
        return found;
      },
      { timeout, interval: 10 },
    );
  }

  private take(data: Buffer): void {
    const frame = decodeTerminalFrame(data);
    if (frame?.kind !== 'output') return;
    if (this.offset !== null && frame.offset !== this.offset) this.gaps += 1;
    this.offset = frame.offset + frame.bytes.length;
    this.text += Buffer.from(frame.bytes).toString('latin1');
    if (this.isAcknowledging)
      this.send({ type: 'ack', sessionId: frame.sessionId, data: { offset: this.offset } });
  }
}
