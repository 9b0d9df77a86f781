import { randomUUID } from 'node:crypto';
import type { InteractionServerFrame } from '../../../protocol/interaction-frames.js';
import {
  type AnswerInteractionResult,
  interactionLimits,
  interactionProtocolVersion,
  type SettleReason,
} from '../../../protocol/interactions.js';
import type { SessionRecord } from '../agent-sessions/session-record.js';
import type { ConversationSink } from '../conversation/conversation.js';
import { noticeOfExpired, noticeOfUnreported } from '../conversation/notice.js';
import { RecentEntries } from '../shared/recent-entries.js';
import { deadlineOf } from './deadline.js';
import type { InteractionReport, InteractionReports, Opening } from './interaction-reports.js';
import {
  type Answer,
  type Answerer,
  fits,
  hashOf,
  type Outcome,
  type Question,
  reportedReason,
} from './question.js';
import { createRequest } from './report-body.js';
import { pendingFrame, settledFrame } from './viewer-frames.js';

interface SessionInteractionsDeps {
  readonly runtimeIdentity: string;
  readonly record: () => SessionRecord | null;
  readonly sink: Pick<ConversationSink, 'interaction' | 'notice'>;
  readonly reports: Pick<InteractionReports, 'open'>;
  readonly now: () => number;
}

interface Pending {
  readonly interactionId: string;
  readonly question: Question;
  readonly createdAt: number;
  deadlineAt: number;
  timer: NodeJS.Timeout | undefined;
  /** Null when only viewers know of it. */
  report: InteractionReport | null;
  readonly resolve: (outcome: Outcome) => void;
}

interface GivenAnswer {
  readonly interactionId: string;
  readonly answer: Answer;
  readonly by: Answerer;
  /** Of the control plane: the connection and run that made the request. */
  readonly from?: Waiter;
}

interface ReportedPlace extends Pick<Opening, 'workspaceId' | 'projectId' | 'delays'> {
  readonly sessionId: string;
}

/** Names the request that the control plane answers. */
type Waiter = Pick<AnswerInteractionResult, 'generation' | 'runtimeIdentity'>;

/**
 * The requests of one session that wait for a person. Each ends exactly once: by the first answer
 * that fits, or with a reason. docs/agent-interactions.md has the states.
 */
export class SessionInteractions {
  private readonly pending = new Map<string, Pending>();
  /** Reports of accepted links, until the harness reports them as done. */
  private readonly completions = new Map<string, InteractionReport>();
  /** The hashes of the last answers, by interaction. */
  private receipts: RecentEntries<string> | null = null;
  private isUnreportedNoticed = false;
  /** New for each connection to a harness. */
  private generation: string = randomUUID();

  constructor(private readonly deps: SessionInteractionsDeps) {}

  /** For a viewer that attaches. */
  get frames(): InteractionServerFrame[] {
    return [...this.pending.values()].map(pendingFrame);
  }

  /** Names the present connection, for the answer to the control plane. */
  get waiter(): Waiter {
    return { generation: this.generation, runtimeIdentity: this.deps.runtimeIdentity };
  }

  /** Waits for the answer. @param signal aborts with a `SettleReason` */
  ask(question: Question, signal: AbortSignal, promptEndsAt: number | null): Promise<Outcome> {
    const { deps } = this;
    const record = deps.record();
    if (!record || signal.aborted) return ended('wrapper_cancelled');
    if (this.pending.size >= interactionLimits.pendingPerSession) return ended('too_many');
    const createdAt = deps.now();
    const isTask = record.taskMode === 'task';
    const settings = record.interactions?.enabled ? record.interactions : null;
    const deadlineAt = deadlineOf({ kind: question.kind, now: createdAt, promptEndsAt, isTask, settings });
    if (deadlineAt <= createdAt) return ended('expired');
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const interactionId = randomUUID();
    const waits = { interactionId, question, createdAt, deadlineAt, resolve };
    const pending: Pending = { ...waits, timer: undefined, report: null };
    this.pending.set(interactionId, pending);
    this.expireAt(pending, deadlineAt);
    const abort = () => this.end(pending, { kind: 'ended', reason: reasonOf(signal) });
    signal.addEventListener('abort', abort, { once: true });
    deps.sink.interaction(pendingFrame(pending));
    const { workspaceId, sessionId, projectId } = record;
    if (settings && projectId !== null)
      this.report(pending, { workspaceId, sessionId, projectId, delays: settings });
    return promise.finally(() => signal.removeEventListener('abort', abort));
  }

  /** The first answer that fits wins. */
  answer({ interactionId, answer, by, from }: GivenAnswer): AnswerInteractionResult['status'] {
    const known = this.receipts?.find(interactionId);
    if (known !== undefined) return known === hashOf(answer) ? 'duplicate' : 'conflict';
    const { generation, runtimeIdentity } = this.waiter;
    if (from && (from.generation !== generation || from.runtimeIdentity !== runtimeIdentity))
      return 'stale_generation';
    const pending = this.pending.get(interactionId);
    if (!pending) return 'no_waiter';
    if (!fits(pending.question, answer)) return 'conflict';
    this.end(pending, { kind: 'answered', answer, by });
    return 'consumed';
  }

  isPending(interactionId: string): boolean {
    return this.pending.has(interactionId);
  }

  /** The harness reports a link as done. */
  completeUrl(elicitationId: string): void {
    const found = [...this.pending.values()].find(
      ({ question }) => question.kind === 'url' && question.detail.elicitationId === elicitationId,
    );
    if (found) this.end(found, { kind: 'ended', reason: 'completed' });
    else this.completions.get(elicitationId)?.completeUrl(elicitationId);
    this.completions.delete(elicitationId);
  }

  /** Ends everything that waits. */
  settleAll(reason: SettleReason): void {
    for (const pending of this.pending.values()) this.end(pending, { kind: 'ended', reason });
  }

  /** Another harness starts: answers to the requests of the one before are stale. */
  renew(): void {
    this.settleAll('connection_replaced');
    this.completions.clear();
    this.generation = randomUUID();
  }

  private report(pending: Pending, { sessionId, ...place }: ReportedPlace): void {
    const { interactionId, question, deadlineAt } = pending;
    const waiter = {
      protocolVersion: interactionProtocolVersion,
      interactionId,
      ...this.waiter,
      agentSessionId: sessionId,
    } as const;
    pending.report = this.deps.reports.open({
      ...place,
      waiter,
      create: createRequest(waiter, question, deadlineAt),
      onDeadline: (at) => {
        if (this.pending.has(interactionId) && at < pending.deadlineAt) this.expireAt(pending, at);
      },
      onRefused: (reason) => this.unreported(reason),
    });
  }

  private unreported(reason: string): void {
    if (!this.isUnreportedNoticed) this.deps.sink.notice(noticeOfUnreported(reason));
    this.isUnreportedNoticed = true;
  }

  private expireAt(pending: Pending, deadlineAt: number): void {
    pending.deadlineAt = deadlineAt;
    clearTimeout(pending.timer);
    const waitMs = Math.max(deadlineAt - this.deps.now(), 0);
    pending.timer = setTimeout(() => this.end(pending, { kind: 'ended', reason: 'expired' }), waitMs);
  }

  private end(pending: Pending, outcome: Outcome): void {
    const { interactionId, question, report } = pending;
    if (!this.pending.delete(interactionId)) return;
    clearTimeout(pending.timer);
    if (outcome.kind === 'answered') this.remember(interactionId, outcome.answer);
    const isAccepted = outcome.kind === 'answered' && outcome.answer.kind === 'accepted';
    if (report && question.kind === 'url' && isAccepted)
      this.completions.set(question.detail.elicitationId, report);
    report?.end(reportedReason(outcome));
    this.deps.sink.interaction(settledFrame(interactionId, outcome));
    if (outcome.kind === 'ended' && outcome.reason === 'expired')
      this.deps.sink.notice(noticeOfExpired(pending.deadlineAt - pending.createdAt));
    pending.resolve(outcome);
  }

  private remember(interactionId: string, answer: Answer): void {
    const limit = this.deps.record()?.interactions?.receiptLimit ?? interactionLimits.receipts;
    this.receipts ??= new RecentEntries(limit);
    this.receipts.set(interactionId, hashOf(answer));
  }
}

const ended = async (reason: 'too_many' | SettleReason): Promise<Outcome> => ({ kind: 'ended', reason });

function reasonOf({ reason }: AbortSignal): SettleReason {
  return reason === 'connection_closed' ? reason : 'wrapper_cancelled';
}
