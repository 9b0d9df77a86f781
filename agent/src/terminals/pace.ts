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
  regulate(viewers: ReadonlyMap<unknown, Viewer>, end: number, absentLag: number): void {
    const lag = Math.max(absentLag, longestLag(viewers, end));
    if (!this.isPaused && lag > highWaterBytes) {
      this.isPaused = true;
      this.pty.pause();
    } else if (this.isPaused && lag < lowWaterBytes) {
      this.isPaused = false;
      this.pty.resume();
    }
    // This is done for each key: what only several viewers need is not.
    if (viewers.size > 1 || this.patience) this.watchPatience([...viewers.values()], end);
  }

  private watchPatience(viewers: readonly Viewer[], end: number): void {
    const waitedFor = viewers.filter((viewer) => !viewer.isLeftBehind);
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
