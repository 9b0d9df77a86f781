import { highWaterBytes, lowWaterBytes } from '../../../protocol/terminal.js';
import type { Pty } from './pty.js';
import { type Turns, turnBytes } from './turns.js';
import type { Viewer } from './viewer.js';

/** How long those who have seen everything wait for one who has not. */
const waitForOthersMs = 1_000;

/**
 * When the shell rests. It waits for its viewers, so that none loses a byte. Where one is far behind and another has seen
 * everything, the shell waits for a moment only and then goes on at the pace of those who keep up; who was left behind
 * counts again once it has caught up, or when only such viewers are left. And it rests between its turns, where what it writes
 * would disturb somebody who types elsewhere.
 */
export class Pace {
  private isPaused = false;
  private lags = false;
  private rest: NodeJS.Timeout | null = null;
  private sinceRest = 0;
  private patience: NodeJS.Timeout | null = null;
  private behind: readonly Viewer[] = [];

  constructor(
    private readonly pty: Pick<Pty, 'pause' | 'resume'>,
    /** Time has passed: look again. */
    private readonly lookAgain: () => void,
    private readonly turns: Turns,
  ) {}

  typed(): void {
    this.turns.typed(this);
  }

  took(bytes: number): void {
    this.sinceRest += bytes;
    if (this.sinceRest < turnBytes || this.rest) return;
    this.sinceRest = 0;
    const restMs = this.turns.restMs(this);
    if (restMs === 0) return;
    this.rest = setTimeout(() => {
      this.rest = null;
      this.settle();
    }, restMs);
    this.settle();
  }

  /** @param absentLag of one that has lost its network and is waited for */
  regulate(viewers: ReadonlyMap<unknown, Viewer>, end: number, absentLag: number): void {
    const lag = Math.max(absentLag, longestLag(viewers, end));
    if (lag > highWaterBytes) this.lags = true;
    else if (lag < lowWaterBytes) this.lags = false;
    this.settle();
    // This is done for each key: what only several viewers need is not.
    if (viewers.size > 1 || this.patience) this.watchPatience([...viewers.values()], end);
  }

  private settle(): void {
    const isToPause = this.lags || this.rest !== null;
    if (isToPause === this.isPaused) return;
    this.isPaused = isToPause;
    if (isToPause) this.pty.pause();
    else this.pty.resume();
  }

  private watchPatience(viewers: readonly Viewer[], end: number): void {
    const waitedFor = viewers.filter((viewer) => !viewer.isLeftBehind);
    this.behind = waitedFor.filter((viewer) => viewer.lag(end) >= lowWaterBytes);
    const othersWait = this.lags && this.behind.length > 0 && this.behind.length < waitedFor.length;
    if (!othersWait) {
      if (this.patience) clearTimeout(this.patience);
      this.patience = null;
      return;
    }
    this.patience ??= setTimeout(() => {
      this.patience = null;
      for (const viewer of this.behind) viewer.isLeftBehind = true;
      this.lookAgain();
    }, waitForOthersMs);
  }
}

/** Of those who are waited for; of all, where nobody is. */
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
