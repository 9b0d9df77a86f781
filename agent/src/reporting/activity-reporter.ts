import type { ActivityReport, AgentActivity } from '../../../protocol/agent-callbacks.js';
import type { SessionRecord } from '../agent-sessions/session-record.js';
import { CallbackUnavailable } from '../control-plane/callback-errors.js';
import type { Log } from '../shared/log.js';
import { redactText } from '../shared/redact.js';
import { noPiggyback, type PiggybackedActivity, type PiggybackResult } from './batch-request.js';

const maxErrorLength = 2_048;
/** So long rest waits for words that cannot be told: the next prompt must not wait for them for ever. */
const maxMessageWaitMs = 30_000;

/** What a session does, as one is told of it. */
export type Activity =
  | { readonly activity: 'prompting'; readonly promptStartedAt: number }
  | { readonly activity: 'idle' | 'recovering' | 'error'; readonly statusError?: string | null };

interface ActivitySettings {
  readonly debounceMs: number;
  readonly repeatMs: number;
  /** Of a report that a prompt began: the next repeat makes good what is lost. */
  readonly working: AttemptLimits;
  /** Of all others. */
  readonly resting: AttemptLimits;
}

interface AttemptLimits {
  readonly attempts: number;
  readonly backoffMs: number;
}

interface ActivityReporterDeps {
  readonly settings: ActivitySettings;
  /** One attempt. @throws CallbackUnavailable when another could help */
  readonly send: (
    session: SessionRecord,
    report: Pick<ActivityReport, 'activity' | 'promptStartedAt' | 'statusError'>,
  ) => Promise<void>;
  /** Messages of its chat are still to be told. */
  readonly hasUnsentMessages: (session: SessionRecord) => boolean;
  readonly log: Log;
}

/**
 * Tells the control plane what one session does: quick changes as one, one report after the other, and while it works
 * again and again. A later state takes the place of one that is not sent yet, except of an error, which is always told and
 * which no coming to rest hides. What messages of the chat take along needs no request of its own, and rest is not told before
 * what was said.
 */
export class ActivityReporter implements AsyncDisposable {
  /** Null: what an earlier life of the agent told last is not known. */
  private current: Activity | null = null;
  private waitingError: Activity | null = null;
  private waiting: Activity | null = null;
  private timer: NodeJS.Timeout | null = null;
  private repeat: NodeJS.Timeout | null = null;
  private sending: Promise<void> = Promise.resolve();
  private idleSince = 0;
  /** A report is on its way. */
  private isReporting = false;
  /**
   * One that went with messages was not answered: it may arrive yet, after what was told since. So may what an earlier life of
   * the agent has sent.
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
    if (this.isEnded || (this.current && isSame(activity, this.current))) return;
    if (activity.activity === 'idle' && this.current?.activity === 'error') return;
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

  /** What waits goes with messages that are sent now. Nothing else is told until it has arrived, or is known not to. */
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
      activity: { ...reportOf(activity), ...agentOf(this.session), projectId, agentSessionId },
      end: resolve,
    };
  }

  /** Sends what is waiting, at once, and takes nothing more. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.repeat) clearInterval(this.repeat);
    this.stopTimer();
    this.ended.abort();
    this.start();
    await this.sending;
  }

  private get isEnded(): boolean {
    return this.ended.signal.aborted;
  }

  private repeatWhileWorking(): void {
    if (this.repeat) clearInterval(this.repeat);
    if (this.current?.activity !== 'prompting' && this.current?.activity !== 'recovering') return;
    this.repeat = setInterval(() => {
      this.waiting ??= this.current;
      this.start();
    }, this.deps.settings.repeatMs);
  }

  /** An earlier date stands. */
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
    for (let next = this.waitingError ?? this.waiting; next; next = this.waitingError ?? this.waiting) {
      if (next === this.waitingError) this.waitingError = null;
      else this.waiting = null;
      // Without a project there is nobody to tell.
      if (this.session.projectId !== null) await this.send(next);
    }
    this.isReporting = false;
  }

  /** What did not get there with messages is told by itself, unless something newer is to be told. */
  private async endPiggyback(activity: Activity, result: PiggybackResult): Promise<void> {
    if (result !== 'taken' && !this.waitingError) this.waiting ??= activity;
    this.hasUnansweredReport ||= result === 'unanswered';
    this.resolveUnanswered(result);
    this.isReporting = false;
    if (this.waitsForMessages) this.sendSoon(this.deps.settings.debounceMs);
    else if (result !== 'taken') await this.sendAll();
  }

  /** Once later messages are there, what was late changes nothing any more; what it may have hidden is told again. */
  private resolveUnanswered(result: PiggybackResult): void {
    if (!this.hasUnansweredReport || (result !== 'taken' && result !== 'left')) return;
    this.hasUnansweredReport = false;
    if (result === 'taken') return;
    this.waiting ??= this.current;
    this.start();
  }

  /** Until it is told, refused, given up, or out of date; a report on its way is never overtaken by the next. */
  private async send(activity: Activity): Promise<void> {
    const { settings, log } = this.deps;
    const { attempts, backoffMs } = activity.activity === 'prompting' ? settings.working : settings.resting;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.deps.send(this.session, reportOf(activity));
        return;
      } catch (error) {
        const { workspaceId, sessionId } = this.session;
        const isLast = attempt >= attempts || this.isEnded || !(error instanceof CallbackUnavailable);
        log.warn('Activity not reported', { workspaceId, sessionId, ...activity, error, isLast });
        if (isLast) return;
      }
      await this.pause(backoffMs * 2 ** (attempt - 1));
      if (activity.activity !== 'error' && (this.waiting || this.waitingError)) return;
    }
  }

  /** Cut short by the end. */
  private pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.ended.signal.addEventListener('abort', () => resolve(), { once: true });
    return promise.finally(() => clearTimeout(timer));
  }
}

function isSame(one: Activity, other: Activity): boolean {
  return JSON.stringify(reportOf(one)) === JSON.stringify(reportOf(other));
}

/** Of which agent it is told. */
export function agentOf({
  agentType,
  restartCount,
}: Pick<SessionRecord, 'agentType' | 'restartCount'>): Pick<AgentActivity, 'agentType' | 'restartCount'> {
  return { ...(agentType === null ? {} : { agentType }), restartCount };
}

function reportOf(activity: Activity): Pick<ActivityReport, 'activity' | 'promptStartedAt' | 'statusError'> {
  if (activity.activity === 'prompting') return activity;
  const { statusError } = activity;
  return {
    activity: activity.activity,
    ...(statusError ? { statusError: redactText(statusError).slice(0, maxErrorLength) } : {}),
  };
}
