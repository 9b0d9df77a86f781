import { WebSocket } from 'ws';
import {
  type LiveMessage,
  LiveServerFrame,
  type LiveServerMessage,
  unpackFrame,
} from '../../protocol/live.js';
import { until } from './until.js';

/** A chat message in a frame. */
export function wordsIn(message: LiveServerMessage): readonly LiveMessage[] {
  if (message.type === 'message.new') return [message.data.message];
  return message.type === 'messages.batch' ? message.data.messages : [];
}

/**
 * A client of the live socket that stores all messages and checks each against the protocol.
 */
export class LiveClient implements Disposable {
  readonly arrivals: { readonly message: LiveServerMessage; readonly at: number }[] = [];

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      const at = Date.now();
      const frame = LiveServerFrame.parse(JSON.parse(data.toString('utf8')));
      for (const message of unpackFrame(frame)) this.arrivals.push({ message, at });
    });
  }

  get messages(): LiveServerMessage[] {
    return this.arrivals.map(({ message }) => message);
  }

  get isClosed(): boolean {
    return this.socket.readyState === WebSocket.CLOSED;
  }

  static async connect(url: string, cookie: string): Promise<LiveClient> {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/live`, { headers: { cookie, origin: url } });
    const client = new LiveClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => resolve());
      socket.once('error', reject);
    });
    return client;
  }

  subscribe(workspaceId: string): Promise<void> {
    return this.subscribeTo(`workspace:${workspaceId}`);
  }

  async subscribeTo(topic: string): Promise<void> {
    this.socket.send(JSON.stringify({ action: 'subscribe', topic }));
    await until(`an answer to the subscription of ${topic}`, () =>
      this.messages.find((message) => message.type === 'subscribed' && message.topic === topic),
    );
  }

  statuses(workspaceId: string): string[] {
    return this.messages.flatMap((message) =>
      message.type === 'workspace.status' && message.data.workspaceId === workspaceId
        ? [message.data.status]
        : [],
    );
  }

  bootLog(workspaceId: string): string[] {
    return this.messages.flatMap((message) =>
      message.type === 'workspace.boot_log' && message.data.workspaceId === workspaceId
        ? [`${message.data.entry.step} ${message.data.entry.status}`]
        : [],
    );
  }

  [Symbol.dispose](): void {
    this.socket.terminate();
  }
}
