import { highWaterBytes, lowWaterBytes } from '../../../protocol/terminal.js';
import type { Pty } from './pty.js';
import type { Viewer } from './viewer.js';

/** How long those who have seen everything wait for one who has not. */
const waitForOthersMs = 1_000;

/**
 * When the shell rests. It waits for its viewers, so that none loses a byte. Where one is far behind and another has seen
 * everything, the shell waits for a moment only and then goes on at the pace of those who keep up; who was left behind
 * counts again once it has caught up, or when only such viewers are left.
 */
export class Pace {
  private isPaused = false;
  private patience: NodeJS.Timeout | null = null;
  private behind: readonly Viewer[] = [];

  constructor(
    private readonly pty: Pick<Pty, 'pause' | 'resume'>,
    /** Time has passed: look again. */
    private readonly lookAgain: () => void,
  ) {}

  /** @param absentLag of one that has lost its network and is waited for */
  regulate(viewers: readonly Viewer[], end: number, absentLag: number): void {
    for (const viewer of viewers) if (viewer.lag(end) < lowWaterBytes) viewer.isLeftBehind = false;
    const waitedFor = viewers.filter((viewer) => !viewer.isLeftBehind);
    const lags = (waitedFor.length > 0 ? waitedFor : viewers).map((viewer) => viewer.lag(end));
    const lag = Math.max(absentLag, ...lags);
    if (!this.isPaused && lag > highWaterBytes) {
      this.isPaused = true;
      this.pty.pause();
    } else if (this.isPaused && lag < lowWaterBytes) {
      this.isPaused = false;
      this.pty.resume();
    }
    this.watchPatience(waitedFor, end);
  }

  private watchPatience(waitedFor: readonly Viewer[], end: number): void {
    this.behind = waitedFor.filter((viewer) => viewer.lag(end) >= lowWaterBytes);
    const othersWait = this.isPaused && this.behind.length > 0 && this.behind.length < waitedFor.length;
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
