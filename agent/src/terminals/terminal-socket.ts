import type { Writable } from 'node:stream';
import type { WebSocket } from 'ws';
import { TerminalClientMessage, type TerminalServerMessage } from '../../../protocol/terminal.js';
import { decodeTerminalFrame, encodeOutputFrame } from '../../../protocol/terminal-frames.js';
import { AgentError } from '../errors.js';
import { KeyLock } from '../shared/key-lock.js';
import type { Log } from '../shared/log.js';
import { allocateFrame } from './allocate-frame.js';
import { InputThrottle } from './input-throttle.js';
import { boundedSize } from './pty.js';
import { terminateIfBacklogged, terminateWhenSilent } from './socket-guards.js';
import type { Terminal } from './terminal.js';
import { TerminalError, type Terminals } from './terminals.js';
import type { ViewerSocket } from './viewer.js';

/** Acknowledgements follow the output, whose rate the node controls: no rate limit. */
const unratedTypes: ReadonlySet<string> = new Set(['ack']);

type MessageOf<Type extends TerminalClientMessage['type']> = Extract<TerminalClientMessage, { type: Type }>;

export interface TerminalSocketOwner {
  readonly workspaceId: string;
  readonly userId: string;
}

export interface TerminalConnection {
  readonly socket: WebSocket;
  /** The stream to which the socket writes whole messages, in order. */
  readonly stream: Writable;
}

/** Socket of one client: control messages in, output of the watched terminals out. */
export class TerminalSocket implements ViewerSocket {
  private readonly throttle: InputThrottle;
  /** By session id, until the end was sent: a closed session may have unsent bytes. */
  private readonly watched = new Map<string, Terminal>();
  /** A client may type before its session is open: messages of one session keep their order. */
  private readonly sessionLocks = new KeyLock();
  private readonly socket: WebSocket;
  private readonly stream: Writable;

  // biome-ignore lint/complexity/useMaxParams: each parameter is one dependency, named where it is passed
  constructor(
    { socket, stream }: TerminalConnection,
    private readonly owner: TerminalSocketOwner,
    private readonly terminals: Terminals,
    private readonly log: Log,
  ) {
    this.socket = socket;
    this.stream = stream;
    this.throttle = new InputThrottle(socket);
    terminateWhenSilent(socket);
    socket.on('message', (data: Buffer, isBinary: boolean) => this.received(data, isBinary));
    // The library closes the socket after an error (an oversized message: 1009); this only logs it.
    socket.on('error', (error) => this.log.debug('Terminal socket failed', { error, ...this.owner }));
    socket.on('close', () => {
      for (const terminal of this.watched.values()) terminal.detach(this);
      this.watched.clear();
    });
  }

  get bufferedBytes(): number {
    return this.socket.bufferedAmount;
  }

  sendMessage(message: TerminalServerMessage): void {
    if (message.type === 'session_closed') this.watched.delete(message.sessionId);
    this.socket.send(JSON.stringify(message));
  }

  sendOutput(sessionId: string, offset: number, bytes: Uint8Array): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.stream.write(encodeOutputFrame(sessionId, offset, bytes, allocateFrame), () => {
      if (this.socket.bufferedAmount > 0) return;
      this.watched.get(sessionId)?.drained(this);
    });
  }

  private received(data: Buffer, isBinary: boolean): void {
    // A client may continue to send until it has processed the close.
    if (this.socket.readyState !== this.socket.OPEN || terminateIfBacklogged(this.socket)) return;
    const message = isBinary ? null : parseMessage(data);
    const isRated = message === null || !unratedTypes.has(message.type);
    if (isRated) this.throttle.count();
    if (isBinary) this.handleInput(data);
    else if (!message) this.fail('invalid message');
    else this.handle(message);
  }

  private handleInput(data: Buffer): void {
    const frame = decodeTerminalFrame(data);
    if (frame?.kind !== 'input') this.fail('invalid frame');
    else this.runInOrder(frame.sessionId, () => this.find(frame.sessionId)?.write(frame.bytes));
  }

  private handle(message: TerminalClientMessage): void {
    if (message.type === 'ping') this.sendMessage({ type: 'pong' });
    else if (message.type === 'list_sessions') {
      const sessions = this.terminals.list(this.owner.workspaceId, this.owner.userId);
      this.sendMessage({ type: 'session_list', data: { sessions } });
    } else if (message.type === 'create_session') this.queue(message.sessionId, () => this.create(message));
    else if (message.type === 'close_session')
      this.queue(message.sessionId, () => this.close(message.sessionId));
    else this.runInOrder(message.sessionId, () => this.control(message));
  }

  /**
   * Runs synchronously unless an operation of this session is pending: a key must not wait for
   * promises.
   */
  private runInOrder(sessionId: string, work: () => void): void {
    if (this.sessionLocks.isHeld(sessionId)) this.queue(sessionId, async () => work());
    else {
      try {
        work();
      } catch (error) {
        this.failed(error);
      }
    }
  }

  private queue(sessionId: string, work: () => Promise<void>): void {
    this.sessionLocks.run(sessionId, work).catch((error: unknown) => this.failed(error));
  }

  private failed(error: unknown): void {
    this.log.error('Terminal message failed', { error, ...this.owner });
    this.socket.close(1011);
  }

  private control(
    message: MessageOf<'reattach_session' | 'rename_session' | 'input' | 'resize' | 'ack'>,
  ): void {
    if (message.type === 'ack') {
      // The session may have ended before its acknowledgement: no reply expected.
      this.watched.get(message.sessionId)?.acknowledge(this, message.data.offset);
      return;
    }
    const terminal = this.find(message.sessionId);
    if (!terminal) return;
    if (message.type === 'input') terminal.write(Buffer.from(message.data.data));
    else if (message.type === 'resize') terminal.resize(boundedSize(message.data));
    else if (message.type === 'reattach_session') this.reattach(terminal, message);
    else this.rename(terminal, message);
  }

  private rename(terminal: Terminal, { sessionId, data }: MessageOf<'rename_session'>): void {
    this.terminals.rename(terminal, data.name);
    // A client that does not watch the terminal gets no broadcast, so reply to it.
    if (!terminal.isWatchedBy(this)) this.sendMessage({ type: 'session_renamed', sessionId, data });
  }

  private async create({ sessionId, data = {} }: MessageOf<'create_session'>): Promise<void> {
    const key = { ...this.owner, sessionId };
    const terminal = await this.attempt(sessionId, () =>
      this.terminals.open(key, {
        size: boundedSize(data),
        name: data.name ?? null,
        worktree: data.worktree,
      }),
    );
    if (!terminal || this.socket.readyState !== this.socket.OPEN) return;
    const { workingDirectory } = terminal.identity;
    this.sendMessage({ type: 'session_created', sessionId, data: { workingDirectory } });
    this.watch(terminal, null);
  }

  private reattach(terminal: Terminal, { sessionId, data = {} }: MessageOf<'reattach_session'>): void {
    if (data.rows !== undefined && data.cols !== undefined) terminal.resize(boundedSize(data));
    const { workingDirectory } = terminal.identity;
    const place = this.watch(terminal, data.offset ?? null);
    this.sendMessage({ type: 'session_reattached', sessionId, data: { workingDirectory, ...place } });
  }

  private async close(sessionId: string): Promise<void> {
    const terminal = this.terminals.find({ ...this.owner, sessionId });
    if (!terminal) {
      await this.attempt(sessionId, () => this.terminals.close({ ...this.owner, sessionId }));
      return;
    }
    const isEndReported = terminal.isRunning && terminal.isWatchedBy(this);
    const { exitCode, signal } = terminal.summary();
    await this.attempt(sessionId, () => this.terminals.close({ ...this.owner, sessionId }));
    // A watched terminal reports its end itself, after its last byte.
    if (isEndReported || this.socket.readyState !== this.socket.OPEN) return;
    this.sendMessage({
      type: 'session_closed',
      sessionId,
      data: { reason: 'user_requested', exitCode, signal },
    });
  }

  private watch(terminal: Terminal, offset: number | null) {
    const { sessionId } = terminal.identity;
    const previous = this.watched.get(sessionId);
    if (previous !== terminal) previous?.detach(this);
    this.watched.set(sessionId, terminal);
    return terminal.attach(this, offset);
  }

  private find(sessionId: string): Terminal | null {
    const terminal = this.terminals.find({ ...this.owner, sessionId });
    if (!terminal) this.fail('session not found', sessionId);
    return terminal;
  }

  private async attempt<T>(sessionId: string, work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      const isClientError = error instanceof TerminalError || error instanceof AgentError;
      if (!isClientError) this.log.error('Terminal failed', { error, ...this.owner });
      const text = isClientError ? error.message : 'the session could not be opened';
      this.fail(text, sessionId);
      return null;
    }
  }

  private fail(error: string, sessionId?: string): void {
    this.sendMessage({ type: 'error', ...(sessionId === undefined ? {} : { sessionId }), data: { error } });
  }
}

function parseMessage(data: Buffer): TerminalClientMessage | null {
  try {
    return TerminalClientMessage.parse(JSON.parse(data.toString()));
  } catch {
    return null;
  }
}
