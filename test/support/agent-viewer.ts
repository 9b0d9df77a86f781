import type WebSocket from 'ws';
import { until } from './until.js';

interface ViewerFrame {
  readonly type?: string;
  readonly jsonrpc?: string;
  readonly id?: string | number;
  readonly method?: string;
  // Frames are looked at as they come; tests say what they expect of them.
  readonly [field: string]: unknown;
}

/** A client of `/agent/ws` that keeps all it gets. */
export class AgentViewer {
  readonly frames: ViewerFrame[] = [];
  closed: { readonly code: number; readonly reason: string } | null = null;
  refused: { readonly status: number; readonly body: unknown } | null = null;

  constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.frames.push(JSON.parse(data.toString())));
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
    });
    socket.on('unexpected-response', (_, response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk;
      });
      response.on('end', () => {
        this.refused = { status: response.statusCode ?? 0, body: JSON.parse(text) };
      });
    });
    socket.on('error', () => undefined);
  }

  send(frame: object | string): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  prompt(id: string | number, text: string, more: object = {}): void {
    const params = { prompt: [{ type: 'text', text }], ...more };
    this.send({ jsonrpc: '2.0', id, method: 'session/prompt', params });
  }

  async frame(what: string, isIt: (frame: ViewerFrame) => boolean): Promise<ViewerFrame> {
    return until(what, () => this.frames.find(isIt), 45_000);
  }

  async ofType(type: string): Promise<ViewerFrame> {
    return this.frame(type, (frame) => frame.type === type);
  }

  async answerTo(id: string | number): Promise<ViewerFrame> {
    return this.frame(`answer to ${id}`, (frame) => frame.id === id);
  }

  /** Waits for the end of the replay. */
  async attached(): Promise<this> {
    await this.ofType('session_replay_complete');
    await until('state', () => (this.frames.at(-1)?.type !== 'session_replay_complete' ? true : undefined));
    return this;
  }

  /** All text of agent and person, in order, marked by who said it. */
  get transcript(): string {
    let text = '';
    let last = '';
    for (const { params } of this.frames) {
      const update = (params as { update?: { sessionUpdate: string; content?: { text?: string } } })?.update;
      if (update?.content?.text === undefined) continue;
      const who = update.sessionUpdate === 'user_message_chunk' ? 'user' : 'agent';
      text += who === last ? update.content.text : `|${who}: ${update.content.text}`;
      last = who;
    }
    return text;
  }
}
