import { protocolsWith } from '../../protocol/socket-token.js';
import type { TerminalClientMessage } from '../../protocol/terminal.js';
import { decodeTerminalFrame, encodeInputFrame } from '../../protocol/terminal-frames.js';
import { ApiError, messageOf } from './api-error.js';
import { backoffMs } from './backoff.js';
import { InputPacer } from './input-pacer.js';
import type { NodeAdvice } from './node-advice.js';
import { OutputPosition } from './output-position.js';
import type { TerminalToken } from './records.js';
import { parseTerminalMessage, type TerminalMessage } from './terminal-messages.js';
import type { TerminalTransport } from './terminal-transport.js';
import { ConnectionWatch } from './terminal-watch.js';
import { UnopenedSockets } from './unopened-sockets.js';

export type TerminalStatus =
  | { readonly kind: 'connecting' | 'open' }
  | { readonly kind: 'reconnecting'; readonly inMs: number; readonly reason: string }
  | { readonly kind: 'unreachable'; readonly advice: NodeAdvice }
  | { readonly kind: 'exited'; readonly exitCode: number | null; readonly signal: number | null }
  | { readonly kind: 'failed'; readonly message: string };

/** Where the output is shown. */
export interface Screen {
  readonly size: () => { readonly rows: number; readonly cols: number };
  /** `done` is called when the bytes are on the screen. */
  readonly write: (bytes: Uint8Array, done: () => void) => void;
  readonly note: (text: string) => void;
  readonly reset: () => void;
}

export interface TerminalOptions {
  readonly sessionId: string;
  /** Of a new shell. */
  readonly name?: string;
  readonly screen: Screen;
  readonly getToken: () => Promise<TerminalToken>;
  /** Its binary messages are array buffers. */
  readonly openSocket: (url: string, protocols: string[]) => TerminalTransport;
  readonly report: (status: TerminalStatus) => void;
  /** Why sockets to this node do not open. */
  readonly advise: (workspaceUrl: string) => Promise<NodeAdvice>;
}

/** A person who accepts the certificate of the node returns to an open terminal. */
const unreachableRetryMs = 10_000;

/**
 * One shell on a workspace's node. It outlives the socket: after a drop the connection returns with
 * a fresh token and asks for the bytes from where it was, so that the screen neither misses nor
 * repeats any.
 */
export class TerminalConnection implements Disposable {
  private readonly position = new OutputPosition();
  private readonly input = new InputPacer((bytes) => this.sendInput(bytes));
  private readonly watch = new ConnectionWatch(
    () => this.send({ type: 'ping' }),
    () => this.dropped('the node does not answer'),
  );
  private socket: TerminalTransport | undefined;
  private attempt = 0;
  private readonly unopened = new UnopenedSockets();
  private retry: ReturnType<typeof setTimeout> | undefined;
  private isReady = false;
  /** An agent of the previous version accepts the token only in the address. */
  private isTokenInAddress = false;
  private isDisposed = false;

  constructor(private readonly options: TerminalOptions) {}

  /** Connects, or starts a new shell after the last has ended. */
  start(): void {
    clearTimeout(this.retry);
    this.options.report({ kind: 'connecting' });
    this.tryToConnect();
  }

  /** What is typed while there is no connection is dropped. */
  type(bytes: Uint8Array): void {
    if (this.isReady) this.input.type(bytes);
  }

  resize(): void {
    if (this.isReady)
      this.send({ type: 'resize', sessionId: this.options.sessionId, data: this.options.screen.size() });
  }

  rename(name: string): void {
    if (this.isReady)
      this.send({ type: 'rename_session', sessionId: this.options.sessionId, data: { name } });
  }

  /** Ends the shell, where it can be reached. */
  end(): void {
    this.send({ type: 'close_session', sessionId: this.options.sessionId });
  }

  [Symbol.dispose](): void {
    this.isDisposed = true;
    clearTimeout(this.retry);
    this.input[Symbol.dispose]();
    this.hangUp();
  }

  private tryToConnect(): void {
    this.connect().catch((error: unknown) => this.refused(error));
  }

  private async connect(): Promise<void> {
    const { token, workspaceUrl } = await this.options.getToken();
    if (this.isDisposed) return;
    this.hangUp();
    const url = new URL(`${workspaceUrl.replace(/^http/, 'ws').replace(/\/$/, '')}/terminal/ws/multi`);
    if (this.isTokenInAddress) url.searchParams.set('token', token);
    const socket = this.options.openSocket(url.href, this.isTokenInAddress ? [] : protocolsWith(token));
    this.socket = socket;
    let hasOpened = false;
    socket.onopen = () => {
      hasOpened = true;
      this.unopened.opened(workspaceUrl);
      this.opened();
    };
    socket.onmessage = ({ data }) => this.received(data);
    socket.onclose = (event) => {
      if (socket !== this.socket) return;
      if (hasOpened) this.dropped(event.reason || 'the connection was lost');
      else this.notOpened(workspaceUrl).catch((error: unknown) => this.refused(error));
    };
  }

  private async notOpened(workspaceUrl: string): Promise<void> {
    this.isTokenInAddress = !this.isTokenInAddress;
    if (!this.unopened.add(workspaceUrl)) return this.dropped('the connection was lost');
    this.hangUp();
    const advice = await this.options.advise(workspaceUrl);
    if (this.isDisposed) return;
    this.options.report({ kind: 'unreachable', advice });
    // The advice stays on the screen during the attempt.
    this.retry = setTimeout(() => this.tryToConnect(), unreachableRetryMs);
  }

  private opened(): void {
    const { sessionId, screen } = this.options;
    const { offset } = this.position;
    if (offset === null) this.create();
    else this.send({ type: 'reattach_session', sessionId, data: { ...screen.size(), offset } });
  }

  /**
   * A shell that runs under this id already is given back as it is, with the output that the node
   * still holds.
   */
  private create(): void {
    const { sessionId, screen, name = 'Console' } = this.options;
    this.position.reset();
    this.send({ type: 'create_session', sessionId, data: { ...screen.size(), name } });
  }

  private received(data: unknown): void {
    this.watch.received();
    if (typeof data === 'string') {
      const message = parseTerminalMessage(data);
      if (message && (message.sessionId ?? this.options.sessionId) === this.options.sessionId)
        this.obey(message);
      return;
    }
    const frame = data instanceof ArrayBuffer ? decodeTerminalFrame(new Uint8Array(data)) : null;
    if (frame?.kind === 'output') this.show(frame.offset, frame.bytes);
  }

  private show(offset: number, bytes: Uint8Array): void {
    const { screen, sessionId } = this.options;
    const { fresh, missing } = this.position.take(offset, bytes);
    if (missing > 0) screen.note(`${missing} bytes of output were lost`);
    const end = offset + bytes.length;
    screen.write(fresh, () => this.send({ type: 'ack', sessionId, data: { offset: end } }));
  }

  private obey(message: TerminalMessage): void {
    if (message.type === 'session_created') this.ready();
    else if (message.type === 'session_reattached') this.reattached(message.data);
    else if (message.type === 'error') this.failed(message.data.error);
    else {
      this.position.reset();
      this.settle({ kind: 'exited', ...message.data });
    }
  }

  private reattached({ offset, lost }: { readonly offset: number; readonly lost: number }): void {
    const { screen, sessionId } = this.options;
    if (offset < (this.position.offset ?? 0)) {
      // Fewer bytes than were shown already: another shell runs under this id. All of it is wanted.
      screen.reset();
      this.position.reset();
      this.send({ type: 'reattach_session', sessionId, data: screen.size() });
      return;
    }
    if (lost > 0) screen.note(`${lost} bytes of output came while you were away and are gone`);
    this.position.continueAt(offset);
    this.ready();
  }

  private failed(error: string): void {
    if (error === 'session not found') {
      this.options.screen.note('The earlier shell ended. This is a new shell.');
      this.create();
    } else this.settle({ kind: 'failed', message: `The node answered: ${error}` });
  }

  private ready(): void {
    this.watch.start();
    this.isReady = true;
    this.attempt = 0;
    this.options.report({ kind: 'open' });
  }

  private dropped(reason: string): void {
    this.hangUp();
    const inMs = backoffMs(this.attempt);
    this.again(inMs, reason);
  }

  private refused(error: unknown): void {
    if (this.isDisposed) return;
    if (error instanceof ApiError && !error.isFinal)
      this.again(Math.max(backoffMs(this.attempt), (error.retryAfterSeconds ?? 0) * 1_000), error.message);
    else this.settle({ kind: 'failed', message: messageOf(error) });
  }

  private again(inMs: number, reason: string): void {
    this.attempt += 1;
    this.options.report({ kind: 'reconnecting', inMs, reason });
    this.retry = setTimeout(() => this.start(), inMs);
  }

  /** The end of this shell, as far as the console can bring it. */
  private settle(status: TerminalStatus): void {
    this.hangUp();
    this.options.report(status);
  }

  private hangUp(): void {
    this.watch.stop();
    this.isReady = false;
    this.input.clear();
    const { socket } = this;
    this.socket = undefined;
    socket?.close();
  }

  private sendInput(bytes: Uint8Array): void {
    if (this.socket?.readyState === 1) this.socket.send(encodeInputFrame(this.options.sessionId, bytes));
  }

  private send(message: TerminalClientMessage): void {
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(message));
  }
}
