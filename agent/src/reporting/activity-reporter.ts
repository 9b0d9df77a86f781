import type { SessionRecord } from '../agent-sessions/session-record.js';
import { CallbackUnavailable } from '../control-plane/callback-errors.js';
import type { Log } from '../shared/log.js';
import {
  type Activity,
  type ActivitySettings,
  agentOf,
  isSameActivity,
  noPiggyback,
  type PiggybackedActivity,
  type PiggybackResult,
  type ReportedActivity,
  reportOf,
  workOf,
} from './activity.js';

/** Longest wait of `idle` for unsent messages: the next prompt waits for `idle`. */
const maxMessageWaitMs = 30_000;

interface ActivityReporterDeps {
  readonly settings: ActivitySettings;
  /** Makes one attempt. @throws CallbackUnavailable when a retry may help */
  readonly send: (session: SessionRecord, report: ReportedActivity) => Promise<void>;
  /** True while messages of the chat are in the outbox. */
  readonly hasUnsentMessages: (session: SessionRecord) => boolean;
  readonly log: Log;
}

/**
 * Reports the activity of one session to the control plane.
 *
 * 1. Changes within the debounce time are one report; reports are sent one after the other.
 * 2. A newer activity replaces a waiting one, except an error: each error is reported.
 * 3. While the session works, also outside of turns, the report is repeated.
 * 4. A waiting report goes with the next messages of the chat where possible.
 * 5. `idle` waits until the messages of the chat are sent.
 */
export class ActivityReporter implements AsyncDisposable {
  /** Null after a start: the last report of the earlier run is unknown. */
  private current: Activity | null = null;
  private waitingError: Activity | null = null;
  private waiting: Activity | null = null;
  private timer: NodeJS.Timeout | null = null;
  private repeat: NodeJS.Timeout | null = null;
  private sending: Promise<void> = Promise.resolve();
  private idleSince = 0;
  /** Tasks that the harness runs outside of turns. */
  private workCount = 0;
  /** A report is being sent. */
  private isReporting = false;
  /**
   * A report that went with messages was not answered and may arrive late. The same holds for
   * reports of an earlier run of the agent.
   */
  private hasUnansweredReport = true;
  private readonly ended = new AbortController();

  constructor(
    private session: SessionRecord,
    private readonly deps: ActivityReporterDeps,
  ) {}

  sessionChanged(session: SessionRecord): void {
    this.session = session;
  }

  set(activity: Activity): void {
    if (this.isEnded || (this.current && isSameActivity(activity, this.current))) return;
    if (activity.activity === 'idle' && this.hasError) return;
    this.current = activity;
    this.repeatWhileWorking();
    if (activity.activity === 'error') {
      this.waitingError = activity;
      this.waiting = null;
      this.sendSoon(0);
    } else {
      this.waiting = activity;
      this.idleSince = Date.now();
      this.sendSoon(this.deps.settings.debounceMs);
    }
  }

  setWork(count: number): void {
    if (this.isEnded || count === this.workCount) return;
    this.workCount = count;
    this.repeatWhileWorking();
    if (!this.current) return;
    this.waiting ??= this.current;
    this.sendSoon(this.deps.settings.debounceMs);
  }

  /** Takes the waiting report along with messages. Other reports wait until `end` is called. */
  takePiggyback(): PiggybackedActivity {
    const { sessionId: agentSessionId, projectId } = this.session;
    const activity = this.waiting;
    if (projectId === null || this.isReporting || this.waitingError || !activity)
      return { ...noPiggyback, end: (result) => this.resolveUnanswered(result) };
    this.waiting = null;
    this.stopTimer();
    this.isReporting = true;
    const { promise, resolve } = Promise.withResolvers<PiggybackResult>();
    this.sending = this.sending.then(async () => this.endPiggyback(activity, await promise));
    return {
      activity: { ...this.report(activity), ...agentOf(this.session), projectId, agentSessionId },
      end: resolve,
    };
  }

  /** Sends the waiting report at once, and accepts no other. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.repeat) clearInterval(this.repeat);
    this.stopTimer();
    this.ended.abort();
    this.start();
    await this.sending;
  }

  /**
   * The last turn or the session failed. A later `idle` without work between does not clear that.
   */
  private get hasError(): boolean {
    const { current } = this;
    return current?.activity === 'error' || (current?.activity === 'idle' && Boolean(current.statusError));
  }

  private get isEnded(): boolean {
    return this.ended.signal.aborted;
  }

  private repeatWhileWorking(): void {
    if (this.repeat) clearInterval(this.repeat);
    const isWorking = this.current?.activity === 'prompting' || this.current?.activity === 'recovering';
    if (!isWorking && this.workCount === 0) return;
    this.repeat = setInterval(() => {
      this.waiting ??= this.current;
      this.start();
    }, this.deps.settings.repeatMs);
  }

  /** Keeps an earlier timer. */
  private sendSoon(delayMs: number): void {
    if (delayMs === 0) {
      this.stopTimer();
      this.start();
      return;
    }
    this.timer ??= setTimeout(() => {
      this.timer = null;
      if (this.waitsForMessages) this.sendSoon(delayMs);
      else this.start();
    }, delayMs);
  }

  private get waitsForMessages(): boolean {
    const isIdle = !this.isEnded && !this.waitingError && this.waiting?.activity === 'idle';
    return (
      isIdle && Date.now() - this.idleSince < maxMessageWaitMs && this.deps.hasUnsentMessages(this.session)
    );
  }

  private stopTimer(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private start(): void {
    this.sending = this.sending.then(() => this.sendAll());
  }

  private async sendAll(): Promise<void> {
    if (!this.waitingError && !this.waiting) return;
    this.isReporting = true;
    for (let next = this.takeNext(); next; next = this.takeNext()) {
      // A session without a project is not reported.
      if (this.session.projectId !== null) await this.send(next);
    }
    this.isReporting = false;
  }

  private takeNext(): Activity | null {
    const next = this.waitingError ?? this.waiting;
    if (this.waitingError) this.waitingError = null;
    else this.waiting = null;
    return next;
  }

  /** Sends a report that the messages did not deliver, unless a newer one waits. */
  private async endPiggyback(activity: Activity, result: PiggybackResult): Promise<void> {
    if (result !== 'taken' && !this.waitingError) this.waiting ??= activity;
    this.hasUnansweredReport ||= result === 'unanswered';
    this.resolveUnanswered(result);
    this.isReporting = false;
    if (this.waitsForMessages) this.sendSoon(this.deps.settings.debounceMs);
    else if (result !== 'taken') await this.sendAll();
  }

  /** After later messages, a late report has no effect. Repeats what it may have hidden. */
  private resolveUnanswered(result: PiggybackResult): void {
    if (!this.hasUnansweredReport || (result !== 'taken' && result !== 'left')) return;
    this.hasUnansweredReport = false;
    if (result === 'taken') return;
    this.waiting ??= this.current;
    this.start();
  }

  /** Retries until the report is answered, refused, given up or outdated. */
  private async send(activity: Activity): Promise<void> {
    const { working, resting } = this.deps.settings;
    const { attempts, backoffMs } = activity.activity === 'prompting' ? working : resting;
    for (let attempt = 1; ; attempt += 1) {
      if (!(await this.attempt(activity, attempts - attempt))) return;
      await this.pause(backoffMs * 2 ** (attempt - 1));
      if (activity.activity !== 'error' && (this.waiting || this.waitingError)) return;
    }
  }

  /** Returns whether another attempt is needed and may help. */
  private async attempt(activity: Activity, attemptsLeft: number): Promise<boolean> {
    try {
      await this.deps.send(this.session, this.report(activity));
      return false;
    } catch (error) {
      const { workspaceId, sessionId } = this.session;
      const isLast = attemptsLeft <= 0 || this.isEnded || !(error instanceof CallbackUnavailable);
      const context = { workspaceId, sessionId, ...activity, error, isLast };
      this.deps.log.warn('Could not report the activity', context);
      return !isLast;
    }
  }

  private report(activity: Activity): ReportedActivity {
    return { ...reportOf(activity), ...workOf(this.workCount, Date.now()) };
  }

  /** Ends early when the reporter ends. */
  private pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.ended.signal.addEventListener('abort', () => resolve(), { once: true });
    return promise.finally(() => clearTimeout(timer));
  }
}
