import { vi } from 'vitest';
import WebSocket from 'ws';
import type { AgentProcess } from './agent-process.js';

interface StreamedEntry {
  readonly source: string;
  readonly level: string;
  readonly message: string;
}

/** A reader of `/logs/stream`. */
export class LogStreamClient {
  readonly entries: StreamedEntry[] = [];
  readonly errors: string[] = [];
  pings = 0;
  closed: number | null = null;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString());
      if (frame.type === 'log') this.entries.push(frame.entry);
      else this.errors.push(frame.message);
    });
    socket.on('ping', () => {
      this.pings += 1;
    });
    socket.on('close', (code) => {
      this.closed = code;
    });
    socket.on('error', () => undefined);
  }

  /** @throws Error with the status of a refusal */
  static async open(
    agent: AgentProcess,
    token: string,
    query = '',
    autoPong = true,
  ): Promise<LogStreamClient> {
    const url = `wss://127.0.0.1:${agent.port}/logs/stream?token=${token}&${query}`;
    const client = new LogStreamClient(new WebSocket(url, { ca: agent.certificate(), autoPong }));
    await new Promise<void>((resolve, reject) => {
      client.socket.once('open', resolve);
      client.socket.once('unexpected-response', (_, response) =>
        reject(new Error(`refused with ${response.statusCode}`)),
      );
    });
    return client;
  }

  async waitFor(text: string): Promise<StreamedEntry> {
    return vi.waitFor(
      () => {
        const found = this.entries.find(({ message }) => message.includes(text));
        if (!found) throw new Error(`no ${text} in ${JSON.stringify(this.entries.slice(-5))}`);
        return found;
      },
      { timeout: 15_000, interval: 20 },
    );
  }
}
