import {
  type LiveClientMessage,
  LiveServerFrame,
  type LiveServerMessage,
  unpackFrame,
} from '../../protocol/live.js';
import { backoffMs } from './backoff.js';

/** API Gateway ends a socket that is silent for ten minutes. */
const pingEveryMs = 4 * 60_000;
const pongWithinMs = 15_000;

export interface LiveListener {
  /** Events arrive from here on; fetch earlier state. Called again after each reconnect. */
  readonly subscribed: () => void;
  readonly message: (message: LiveServerMessage) => void;
}

/** The part of a WebSocket that the console uses. */
export interface LiveTransport {
  readonly readyState: number;
  onopen: ((event: Event) => unknown) | null;
  onclose: ((event: CloseEvent) => unknown) | null;
  onmessage: ((event: MessageEvent) => unknown) | null;
  send(text: string): void;
  close(): void;
}

/**
 * The live socket: open while it is held or has listeners. It reconnects and renews all
 * subscriptions.
 */
export class LiveSocket implements Disposable {
  private readonly topics = new Map<string, Set<LiveListener>>();
  private socket: LiveTransport | undefined;
  private holders = 0;
  private attempt = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private ping: ReturnType<typeof setInterval> | undefined;
  private pong: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly open: () => LiveTransport) {}

  /** Listens to a topic; gives the function that ends it. */
  subscribe(topic: string, listener: LiveListener): () => void {
    const listeners = this.topics.get(topic) ?? new Set();
    this.topics.set(topic, listeners.add(listener));
    if (!this.socket) this.connect();
    else if (listeners.size === 1) this.send({ action: 'subscribe', topic });
    else listener.subscribed();
    return () => this.unsubscribe(topic, listener);
  }

  /** Keeps it open between pages; gives the function that ends this. */
  hold(): () => void {
    this.holders += 1;
    if (!this.socket) this.connect();
    return () => {
      this.holders -= 1;
      this.closeUnused();
    };
  }

  [Symbol.dispose](): void {
    this.topics.clear();
    this.disconnect();
  }

  private unsubscribe(topic: string, listener: LiveListener): void {
    const listeners = this.topics.get(topic);
    if (!listeners?.delete(listener) || listeners.size > 0) return;
    this.topics.delete(topic);
    this.send({ action: 'unsubscribe', topic });
    this.closeUnused();
  }

  private closeUnused(): void {
    if (this.holders === 0 && this.topics.size === 0) this.disconnect();
  }

  private connect(): void {
    clearTimeout(this.retry);
    const socket = this.open();
    this.socket = socket;
    socket.onopen = () => this.opened();
    socket.onclose = () => this.closed(socket);
    socket.onmessage = ({ data }) => this.received(data);
  }

  private disconnect(): void {
    clearTimeout(this.retry);
    this.stopPinging();
    const { socket } = this;
    this.socket = undefined;
    socket?.close();
  }

  private opened(): void {
    for (const topic of this.topics.keys()) this.send({ action: 'subscribe', topic });
    this.ping = setInterval(() => this.sendPing(), pingEveryMs);
  }

  private closed(socket: LiveTransport): void {
    if (socket !== this.socket) return;
    this.stopPinging();
    this.retry = setTimeout(() => this.connect(), backoffMs(this.attempt));
    this.attempt += 1;
  }

  private received(data: unknown): void {
    for (const message of parse(data)) this.dispatch(message);
  }

  private dispatch(message: LiveServerMessage): void {
    if (message.type === 'pong') clearTimeout(this.pong);
    if (!('topic' in message)) return;
    // Not at its opening: a socket that opens and is closed at once must not be dialled without
    // pause.
    this.attempt = 0;
    for (const listener of [...(this.topics.get(message.topic) ?? [])]) {
      if (message.type === 'subscribed') listener.subscribed();
      else listener.message(message);
    }
  }

  private sendPing(): void {
    this.send({ action: 'ping' });
    this.pong = setTimeout(() => this.socket?.close(), pongWithinMs);
  }

  private stopPinging(): void {
    clearInterval(this.ping);
    clearTimeout(this.pong);
  }

  private send(message: LiveClientMessage): void {
    // What is not sent now goes out when the socket opens.
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(message));
  }
}

function parse(data: unknown): readonly LiveServerMessage[] {
  try {
    const frame = LiveServerFrame.safeParse(JSON.parse(String(data)));
    return frame.success ? unpackFrame(frame.data) : [];
  } catch {
    return [];
  }
}
