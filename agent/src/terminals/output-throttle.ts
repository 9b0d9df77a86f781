import { availableParallelism } from 'node:os';
import { highWaterBytes, lowWaterBytes } from '../../../protocol/terminal.js';
import type { Pty } from './pty.js';
import type { Viewer } from './viewer.js';

/** How long viewers that are up to date wait for a slow one. */
const waitForOthersMs = 1_000;

/**
 * Decides when a shell is paused:
 * - while a viewer lags, so that no viewer loses a byte. When one viewer is far behind and another
 * is up to date, the shell waits one second, then continues at the speed of the fast viewers. The
 * slow viewer counts again when it has caught up, or when only slow viewers are left;
 * - between its turns (`FairScheduler`), when its output would disturb a person typing elsewhere.
 */
export class OutputThrottle {
  private isPaused = false;
  private isLagging = false;
  private restTimer: NodeJS.Timeout | null = null;
  private sinceRest = 0;
  private waitTimer: NodeJS.Timeout | null = null;
  private slowViewers: readonly Viewer[] = [];

  constructor(
    private readonly pty: Pick<Pty, 'pause' | 'resume'>,
    /** Called after a timer: evaluate the viewers again. */
    private readonly recheck: () => void,
    private readonly scheduler: FairScheduler,
  ) {}

  onInput(): void {
    this.scheduler.onInput(this);
  }

  onOutput(bytes: number): void {
    this.sinceRest += bytes;
    if (this.sinceRest < turnBytes || this.restTimer) return;
    this.sinceRest = 0;
    const restMs = this.scheduler.restMs(this);
    if (restMs === 0) return;
    this.restTimer = setTimeout(() => {
      this.restTimer = null;
      this.apply();
    }, restMs);
    this.apply();
  }

  /** @param absentLag lag of a viewer that lost its network and may return */
  regulate(viewers: ReadonlyMap<unknown, Viewer>, end: number, absentLag: number): void {
    const lag = Math.max(absentLag, longestLag(viewers, end));
    if (lag > highWaterBytes) this.isLagging = true;
    else if (lag < lowWaterBytes) this.isLagging = false;
    this.apply();
    // Runs for each key: a single viewer needs no further check.
    if (viewers.size > 1 || this.waitTimer) this.leaveSlowViewersBehind([...viewers.values()], end);
  }

  private apply(): void {
    const isToPause = this.isLagging || this.restTimer !== null;
    if (isToPause === this.isPaused) return;
    this.isPaused = isToPause;
    if (isToPause) this.pty.pause();
    else this.pty.resume();
  }

  private leaveSlowViewersBehind(viewers: readonly Viewer[], end: number): void {
    const waitedFor = viewers.filter((viewer) => !viewer.isLeftBehind);
    this.slowViewers = waitedFor.filter((viewer) => viewer.lag(end) >= lowWaterBytes);
    const othersWait =
      this.isLagging && this.slowViewers.length > 0 && this.slowViewers.length < waitedFor.length;
    if (!othersWait) {
      if (this.waitTimer) clearTimeout(this.waitTimer);
      this.waitTimer = null;
      return;
    }
    this.waitTimer ??= setTimeout(() => {
      this.waitTimer = null;
      for (const viewer of this.slowViewers) viewer.isLeftBehind = true;
      this.recheck();
    }, waitForOthersMs);
  }
}

/** The largest lag of the viewers that count; of all viewers when none counts. */
function longestLag(viewers: ReadonlyMap<unknown, Viewer>, end: number): number {
  let ofAll = 0;
  let ofWaitedFor = -1;
  for (const viewer of viewers.values()) {
    const lag = viewer.lag(end);
    if (lag < lowWaterBytes) viewer.isLeftBehind = false;
    ofAll = Math.max(ofAll, lag);
    if (!viewer.isLeftBehind) ofWaitedFor = Math.max(ofWaitedFor, lag);
  }
  return ofWaitedFor < 0 ? ofAll : ofWaitedFor;
}

/**
 * While a person types, all floods together write this much per turn: about 3 MiB per second and
 * processor.
 */
export const turnBytes = 64 * 1024;
const processorMs = 20;
/** How long after a key a person counts as typing. */
const typingMs = 500;

/**
 * A flood uses all processors it gets: the program, the kernel, this agent and the reader. While a
 * person types in another terminal, floods take turns, which leaves processors free for echoes.
 */
export class FairScheduler {
  private typist: unknown = null;
  private typedAtMs = Number.NEGATIVE_INFINITY;
  private nextMs = 0;
  private readonly turnMs: number;

  constructor(
    processors = availableParallelism(),
    private readonly nowMs = () => performance.now(),
  ) {
    this.turnMs = processorMs / processors;
  }

  onInput(terminal: unknown): void {
    this.typist = terminal;
    this.typedAtMs = this.nowMs();
  }

  /** The pause for a terminal that has written `turnBytes`; 0 when it disturbs nobody. */
  restMs(terminal: unknown): number {
    const now = this.nowMs();
    if (terminal === this.typist || now - this.typedAtMs > typingMs) return 0;
    this.nextMs = Math.max(now, this.nextMs) + this.turnMs;
    return this.nextMs - now;
  }
}
