import {
  type LiveClientMessage,
  LiveServerFrame,
  type LiveServerMessage,
  unpackFrame,
} from '../../protocol/live.js';
import { backoffMs } from './backoff.js';
import { Silence } from './live/silence.js';

const openWithinMs = 5_000;
/** A connection that comes back sooner was never away for a person. */
const lostAfterMs = 1_000;

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
  private readonly watchers = new Set<() => void>();
  private readonly silence: Silence;
  private socket: LiveTransport | undefined;
  private holders = 0;
  private attempt = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private opening: ReturnType<typeof setTimeout> | undefined;
  private losing: ReturnType<typeof setTimeout> | undefined;
  private lost = false;
  private ending: string | undefined;

  /** @param isWatched whether somebody looks at the page: then a dead connection matters */
  constructor(
    private readonly open: () => LiveTransport,
    isWatched: () => boolean = () => true,
  ) {
    this.silence = new Silence({
      isWatched,
      ping: () => this.send({ action: 'ping' }),
      dead: () => this.drop(),
    });
  }

  /** Nothing comes at present, and what is shown may be old. */
  readonly isLost = (): boolean => this.lost;

  /** Why the control plane ended the connection, which then opens again only at a person's wish. */
  readonly endedBecause = (): string | undefined => this.ending;

  /** Calls when `isLost` changes; gives the function that ends it. */
  readonly watch = (changed: () => void): (() => void) => {
    this.watchers.add(changed);
    return () => void this.watchers.delete(changed);
  };

  /** Somebody looks again, or the network is back: do not wait for the next try. */
  check(): void {
    if (!this.isWanted) return;
    if (this.socket?.readyState === 1) this.silence.ask();
    else if (this.socket?.readyState !== 0) this.connect();
  }

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

  private get isWanted(): boolean {
    return this.holders > 0 || this.topics.size > 0;
  }

  private closeUnused(): void {
    if (!this.isWanted) this.disconnect();
  }

  private connect(): void {
    clearTimeout(this.retry);
    this.ending = undefined;
    const socket = this.open();
    this.socket = socket;
    socket.onopen = () => this.opened();
    socket.onclose = () => this.closed(socket);
    socket.onmessage = ({ data }) => this.received(data);
    this.opening = setTimeout(() => this.drop(), openWithinMs);
  }

  private disconnect(): void {
    clearTimeout(this.retry);
    this.stopTimers();
    this.setLost(false);
    const { socket } = this;
    this.socket = undefined;
    socket?.close();
  }

  /** Without waiting for the other end, which may take minutes to say that it is gone. */
  private drop(): void {
    const { socket } = this;
    if (!socket) return;
    this.closed(socket);
    socket.close();
  }

  private opened(): void {
    clearTimeout(this.opening);
    clearTimeout(this.losing);
    this.losing = undefined;
    this.setLost(false);
    for (const topic of this.topics.keys()) this.send({ action: 'subscribe', topic });
    this.silence.received();
  }

  private closed(socket: LiveTransport): void {
    if (socket !== this.socket) return;
    socket.onclose = null;
    socket.onmessage = null;
    clearTimeout(this.opening);
    this.silence[Symbol.dispose]();
    if (this.ending !== undefined) {
      this.setLost(true);
      return;
    }
    this.losing ??= setTimeout(() => this.setLost(true), lostAfterMs);
    this.retry = setTimeout(() => this.connect(), backoffMs(this.attempt));
    this.attempt += 1;
  }

  private stopTimers(): void {
    clearTimeout(this.opening);
    clearTimeout(this.losing);
    this.losing = undefined;
    this.silence[Symbol.dispose]();
  }

  private setLost(lost: boolean): void {
    if (lost === this.lost) return;
    this.lost = lost;
    for (const changed of this.watchers) changed();
  }

  private received(data: unknown): void {
    this.silence.received();
    for (const message of parse(data)) this.dispatch(message);
  }

  private dispatch(message: LiveServerMessage): void {
    // Not at its opening: a socket that opens and is closed at once must not be dialled without
    // pause.
    if (message.type === 'pong' || 'topic' in message) this.attempt = 0;
    this.ending ??= endingOf(message);
    if (!('topic' in message)) return;
    for (const listener of [...(this.topics.get(message.topic) ?? [])]) {
      if (message.type === 'subscribed') listener.subscribed();
      else listener.message(message);
    }
  }

  private send(message: LiveClientMessage): void {
    // What is not sent now goes out when the socket opens.
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(message));
  }
}

/** Another try would close the next oldest socket, which would try again in its turn. */
const endingOf = (message: LiveServerMessage): string | undefined =>
  message.type === 'error' && message.error === 'TOO_MANY_SOCKETS' ? message.message : undefined;

function parse(data: unknown): readonly LiveServerMessage[] {
  try {
    const frame = LiveServerFrame.safeParse(JSON.parse(String(data)));
    return frame.success ? unpackFrame(frame.data) : [];
  } catch {
    return [];
  }
}
