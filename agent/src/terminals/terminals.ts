import { type TerminalSessionSummary, terminalLimits } from '../../../protocol/terminal.js';
import type { Log } from '../shared/log.js';
import { FairScheduler } from './output-throttle.js';
import type { OpenPty, PtySize } from './pty.js';
import { Terminal } from './terminal.js';

/** The client names its sessions, within one person's sessions of one workspace. */
export interface TerminalKey {
  readonly workspaceId: string;
  readonly userId: string;
  readonly sessionId: string;
}

export interface NewTerminal {
  readonly size: PtySize;
  readonly name: string | null;
  /** A listed worktree to start in, instead of the repository. */
  readonly worktree?: string | undefined;
}

/**
 * Receives opened, renamed and closed tabs. When the agent ends, its shells end and their tabs
 * stay.
 */
export interface TabListener {
  opened(key: TerminalKey, name: string | null): void;
  renamed(key: TerminalKey, name: string): void;
  closed(key: TerminalKey): void;
  workspaceClosed(workspaceId: string): void;
}

/** An error whose message may be sent to the client. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

/**
 * Owns every terminal of this node. A terminal outlives its sockets: it ends when its shell exits,
 * when it is closed, when its workspace stops, or with the agent.
 */
export class Terminals implements AsyncDisposable {
  private readonly terminals = new Map<string, Terminal>();
  private readonly opening = new Map<string, Promise<Terminal>>();
  private readonly scheduler = new FairScheduler();
  private sweeper: NodeJS.Timeout | undefined;

  // biome-ignore lint/complexity/useMaxParams: each parameter is one dependency, named where it is passed
  constructor(
    private readonly openPty: OpenPty,
    private readonly options: { readonly orphanGraceMs: number },
    private readonly log: Log,
    private readonly tabs: TabListener,
  ) {}

  start(): void {
    const { orphanGraceMs } = this.options;
    if (orphanGraceMs === 0) return;
    this.sweeper = setInterval(() => this.sweep(orphanGraceMs), Math.min(orphanGraceMs, 30_000));
  }

  /** Opens a terminal; returns the existing one when this id is already running. */
  async open(key: TerminalKey, request: NewTerminal): Promise<Terminal> {
    const id = idOf(key);
    const existing = this.terminals.get(id);
    if (existing?.isRunning) return existing;
    const opening = this.opening.get(id);
    if (opening) return opening;
    this.evictExited(key.workspaceId);
    const created = this.create(key, request).finally(() => this.opening.delete(id));
    this.opening.set(id, created);
    return created;
  }

  find(key: TerminalKey): Terminal | null {
    return this.terminals.get(idOf(key)) ?? null;
  }

  list(workspaceId: string, userId: string): TerminalSessionSummary[] {
    return this.of(workspaceId)
      .filter((terminal) => terminal.identity.userId === userId)
      .map((terminal) => terminal.summary());
  }

  /** The running terminals of all people. Their shells have `terminalId` in `SVC_TERMINAL`. */
  running(workspaceId: string): { readonly terminalId: string; readonly summary: TerminalSessionSummary }[] {
    return this.of(workspaceId)
      .filter((terminal) => terminal.isRunning)
      .map((terminal) => ({ terminalId: idOf(terminal.identity), summary: terminal.summary() }));
  }

  /** Number of running terminals. */
  count(workspaceId: string): number {
    return this.of(workspaceId).filter((terminal) => terminal.isRunning).length;
  }

  rename(terminal: Terminal, name: string): void {
    terminal.rename(name);
    this.tabs.renamed(terminal.identity, name);
  }

  async close(key: TerminalKey): Promise<void> {
    const terminal = this.terminals.get(idOf(key));
    // The shell may have ended with an earlier process of the agent, and its tab remained.
    if (!terminal) this.tabs.closed(key);
    if (!terminal) throw new TerminalError('session not found');
    await terminal.close();
    this.forget(terminal);
  }

  async closeWorkspace(workspaceId: string): Promise<void> {
    await Promise.allSettled(this.openingIn(workspaceId));
    await Promise.all(
      this.of(workspaceId).map(async (terminal) => {
        await terminal.close();
        this.forget(terminal);
      }),
    );
    this.tabs.workspaceClosed(workspaceId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.sweeper);
    await Promise.allSettled(this.opening.values());
    await Promise.allSettled([...this.terminals.values()].map((terminal) => terminal.close()));
  }

  private async create(key: TerminalKey, { size, name, worktree }: NewTerminal): Promise<Terminal> {
    const terminalId = idOf(key);
    const { workspaceId } = key;
    const { pty, workingDirectory } = await this.openPty({ workspaceId, terminalId, size, worktree });
    const terminal = new Terminal({ ...key, workingDirectory }, pty, name, this.scheduler);
    this.terminals.set(terminalId, terminal);
    this.tabs.opened(key, name);
    pty.onExit((exit) => this.log.info('Terminal exited', { ...key, ...exit }));
    this.log.info('Terminal opened', { ...key });
    return terminal;
  }

  /** Removes an exited terminal when the limit is reached; never a running one. */
  private evictExited(workspaceId: string): void {
    const terminals = this.of(workspaceId);
    if (terminals.length + this.openingIn(workspaceId).length < terminalLimits.maxSessionsPerWorkspace)
      return;
    const ended = terminals.find((terminal) => !terminal.isRunning);
    if (!ended)
      throw new TerminalError(`a workspace has at most ${terminalLimits.maxSessionsPerWorkspace} sessions`);
    this.forget(ended);
  }

  private sweep(graceMs: number): void {
    for (const terminal of this.terminals.values()) {
      const { orphanedAt } = terminal;
      if (orphanedAt === null || performance.now() - orphanedAt < graceMs) continue;
      this.log.info('Terminal closed: no viewer within the grace period', { ...terminal.identity });
      terminal
        .close()
        .then(() => this.forget(terminal))
        .catch((error: unknown) => this.log.error('Terminal not closed', { error }));
    }
  }

  private of(workspaceId: string): Terminal[] {
    return [...this.terminals.values()].filter((terminal) => terminal.identity.workspaceId === workspaceId);
  }

  private openingIn(workspaceId: string): Promise<Terminal>[] {
    const openings = [...this.opening].filter(([id]) => id.startsWith(`${workspaceId}/`));
    return openings.map(([, opening]) => opening);
  }

  private forget(terminal: Terminal): void {
    const id = idOf(terminal.identity);
    if (this.terminals.get(id) !== terminal) return;
    this.terminals.delete(id);
    this.tabs.closed(terminal.identity);
  }
}

function idOf(key: TerminalKey): string {
  return `${key.workspaceId}/${key.userId}/${key.sessionId}`;
}
