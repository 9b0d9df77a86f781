import { highWaterBytes, type TerminalSessionSummary, terminalLimits } from '../../../protocol/terminal.js';
import { ByteRing } from './byte-ring.js';
import { FlushTimer } from './flush-timer.js';
import { type FairScheduler, OutputThrottle } from './output-throttle.js';
import type { Pty, PtyExit, PtySize } from './pty.js';
import { Viewer, type ViewerSocket } from './viewer.js';

const frameBytes = 64 * 1024;
/** With this much output, send without waiting for more. */
const enoughBytes = 32 * 1024;
const socketBufferBytes = 128 * 1024;
/**
 * A viewer that fell behind continues with this much of the latest output: enough to redraw a
 * screen.
 */
const catchUpBytes = 64 * 1024;
/** How long the shell waits for the return of a client that lost its network. */
const returnGraceMs = 60_000;

export interface TerminalIdentity {
  readonly sessionId: string;
  readonly userId: string;
  readonly workspaceId: string;
  readonly workingDirectory: string;
}

/**
 * A shell and its viewers. It outlives its sockets; each viewer has its own offset in the output,
 * so a viewer that returns continues exactly where it stopped. `OutputThrottle` decides whom the
 * shell waits for.
 */
export class Terminal {
  private readonly ring = new ByteRing(terminalLimits.ringBytes);
  private readonly viewers = new Map<ViewerSocket, Viewer>();
  private readonly createdAt = new Date();
  private lastActivityAt = this.createdAt;
  private name: string | null;
  private exit: PtyExit | null = null;
  private closedByUser = false;
  private unflushed = 0;
  private readonly throttle: OutputThrottle;
  private readonly flushTimer = new FlushTimer(() => this.flush());
  private readonly exited = Promise.withResolvers<void>();
  private unwatchedSince: number | null = performance.now();
  private absent: { readonly known: number; readonly timer: NodeJS.Timeout } | null = null;

  // biome-ignore lint/complexity/useMaxParams: each parameter is one dependency, named where it is passed
  constructor(
    readonly identity: TerminalIdentity,
    private readonly pty: Pty,
    name: string | null,
    scheduler: FairScheduler,
  ) {
    this.name = name;
    this.throttle = new OutputThrottle(pty, () => this.flush(), scheduler);
    pty.onData((bytes) => this.onOutput(bytes));
    pty.onExit((exit) => this.onExit(exit));
  }

  get isRunning(): boolean {
    return this.exit === null;
  }

  /**
   * Since when the terminal has no viewer (monotonic clock); null while it has one. A viewer that
   * was sent the end no longer counts.
   */
  get orphanedAt(): number | null {
    return this.unwatchedSince;
  }

  /**
   * Sends output to the socket from `offset` on, or from the oldest byte held; returns the actual
   * start.
   */
  attach(socket: ViewerSocket, offset: number | null): { readonly offset: number; readonly lost: number } {
    const wanted = Math.min(offset ?? this.ring.start, this.ring.end);
    const from = Math.max(wanted, this.ring.start);
    this.viewers.get(socket)?.leave();
    this.viewers.set(socket, new Viewer(socket, from, () => this.flush()));
    this.unwatchedSince = null;
    this.forgetAbsent();
    // After the reply to the attach, which the caller sends in this same turn.
    this.flushTimer.request(true);
    return { offset: from, lost: from - wanted };
  }

  detach(socket: ViewerSocket): void {
    const viewer = this.viewers.get(socket);
    if (!viewer) return;
    viewer.leave();
    this.viewers.delete(socket);
    if (this.viewers.size === 0) {
      this.unwatchedSince = performance.now();
      this.awaitReturn(viewer);
    }
    this.regulate();
  }

  isWatchedBy(socket: ViewerSocket): boolean {
    return this.viewers.has(socket);
  }

  acknowledge(socket: ViewerSocket, offset: number): void {
    const viewer = this.viewers.get(socket);
    if (!viewer) return;
    viewer.acknowledge(offset);
    this.hasRoomAgain(viewer);
  }

  /** The socket's buffer has room again. */
  drained(socket: ViewerSocket): void {
    const viewer = this.viewers.get(socket);
    if (viewer) this.hasRoomAgain(viewer);
  }

  write(bytes: Uint8Array): void {
    if (this.exit) return;
    this.lastActivityAt = new Date();
    this.throttle.onInput();
    this.pty.write(bytes);
  }

  resize(size: PtySize): void {
    if (!this.exit) this.pty.resize(size);
  }

  /** Notifies every viewer. */
  rename(name: string): void {
    this.name = name;
    const { sessionId } = this.identity;
    for (const socket of this.viewers.keys())
      socket.sendMessage({ type: 'session_renamed', sessionId, data: { name } });
  }

  /** Ends the shell; resolves when it has exited. */
  async close(): Promise<void> {
    this.closedByUser = true;
    if (!this.exit) {
      this.pty.resume();
      this.pty.kill();
    }
    await this.exited.promise;
  }

  summary(): TerminalSessionSummary {
    return {
      sessionId: this.identity.sessionId,
      name: this.name,
      status: this.exit ? 'exited' : 'running',
      workingDirectory: this.identity.workingDirectory,
      createdAt: this.createdAt.toISOString(),
      lastActivityAt: this.lastActivityAt.toISOString(),
      exitCode: this.exit?.exitCode ?? null,
      signal: this.exit?.signal ?? null,
    };
  }

  private onOutput(bytes: Uint8Array): void {
    this.ring.append(bytes);
    this.lastActivityAt = new Date();
    if (this.viewers.size > 0) {
      this.unflushed += bytes.length;
      this.flushTimer.request(this.unflushed >= enoughBytes);
    }
    this.throttle.onOutput(bytes.length);
    this.regulate();
  }

  private onExit(exit: PtyExit): void {
    this.forgetAbsent();
    this.exit = exit;
    this.exited.resolve();
    this.flush();
  }

  private hasRoomAgain(viewer: Viewer): void {
    const unsent = this.ring.end - viewer.sent;
    if (unsent > 0) this.flushTimer.request(unsent >= enoughBytes);
    this.regulate();
  }

  private flush(): void {
    this.flushTimer.done();
    this.unflushed = 0;
    for (const viewer of this.viewers.values()) {
      this.feed(viewer);
      if (this.exit && viewer.sent === this.ring.end) this.sendSessionClosed(viewer, this.exit);
    }
    this.regulate();
  }

  private feed(viewer: Viewer): void {
    while (viewer.sent < this.ring.end && viewer.hasRoom(highWaterBytes, socketBufferBytes)) {
      if (viewer.sent < this.ring.start) this.skip(viewer);
      const { offset, bytes } = this.ring.read(viewer.sent, frameBytes);
      viewer.send(this.identity.sessionId, offset, bytes);
    }
  }

  /** Reports bytes that left the ring like a reattach that came too late. */
  private skip(viewer: Viewer): void {
    const offset = this.ring.end - catchUpBytes;
    const lost = offset - viewer.sent;
    viewer.skipTo(offset);
    const { sessionId, workingDirectory } = this.identity;
    viewer.socket.sendMessage({
      type: 'session_reattached',
      sessionId,
      data: { workingDirectory, offset, lost },
    });
  }

  /** Sent once to each viewer, after the last byte. */
  private sendSessionClosed(viewer: Viewer, exit: PtyExit): void {
    viewer.leave();
    this.viewers.delete(viewer.socket);
    if (this.viewers.size === 0) this.unwatchedSince = performance.now();
    const reason = this.closedByUser ? 'user_requested' : 'process_exit';
    viewer.socket.sendMessage({
      type: 'session_closed',
      sessionId: this.identity.sessionId,
      data: { reason, exitCode: exit.exitCode, signal: exit.signal },
    });
  }

  /**
   * The last viewer may have lost its network only. If it acknowledges, the shell waits a minute
   * for its return, so that unseen output stays in the ring.
   */
  private awaitReturn(viewer: Viewer): void {
    if (viewer.known === null || this.exit) return;
    const timer = setTimeout(() => {
      this.forgetAbsent();
      this.regulate();
    }, returnGraceMs);
    timer.unref();
    this.absent = { known: viewer.known, timer };
  }

  private forgetAbsent(): void {
    if (this.absent) clearTimeout(this.absent.timer);
    this.absent = null;
  }

  private regulate(): void {
    const { end } = this.ring;
    const absentLag = this.absent ? end - this.absent.known : 0;
    this.throttle.regulate(this.viewers, end, absentLag);
  }
}
