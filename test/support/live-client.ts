import { WebSocket } from 'ws';
import { LiveServerMessage } from '../../protocol/live.js';
import { until } from './until.js';

/** A client of the live socket that keeps all it is told, each message checked against the protocol. */
export class LiveClient implements Disposable {
  readonly messages: LiveServerMessage[] = [];

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) =>
      this.messages.push(LiveServerMessage.parse(JSON.parse(data.toString('utf8')))),
    );
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

  async subscribe(workspaceId: string): Promise<void> {
    const topic = `workspace:${workspaceId}`;
    this.socket.send(JSON.stringify({ action: 'subscribe', topic, requestId: workspaceId }));
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
