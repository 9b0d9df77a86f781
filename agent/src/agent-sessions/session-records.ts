import type { DatabaseSync } from 'node:sqlite';
import { type AgentType, type McpServer, neverInvoked } from '../../../protocol/agent-sessions.js';
import type { InteractionSettings } from '../../../protocol/interactions.js';
import type { ConversationSink, TurnEnd } from '../conversation/conversation.js';
import { conversationLost } from '../conversation/notice.js';
import { inTransaction } from '../store/database.js';
import type { ConversationSummaries } from './conversation-summaries.js';
import type { Delivery, DeliveryKey, Receipt, ReceiptStore } from './receipt-store.js';
import type { RestoreEnd } from './restore-fences.js';
import type {
  NewRollover,
  RolloverEnd,
  RolloverKey,
  RolloverStore,
  StoredRollover,
} from './rollover-store.js';
import type { SessionKey, SessionRecord } from './session-record.js';
import type { LatestChat, NewSession, SessionStart, SessionStore } from './session-store.js';
import type { Turn, TurnRequest } from './turn.js';

interface Acceptance {
  readonly key: SessionKey;
  readonly request: TurnRequest;
  readonly delivery: Delivery | null;
  readonly start: SessionStart | null;
}

interface GivenByControlPlane {
  readonly mcpServers?: readonly McpServer[];
  readonly interactions?: InteractionSettings | null | undefined;
}

interface EndedTurn {
  readonly key: SessionKey;
  readonly sink: ConversationSink;
  readonly rollover?: RolloverEnd;
}

/**
 * The state machine of an agent session: its record, the receipts of its prompts and its rollovers.
 * Each durable transition is one method: one commit, conditional on the state in `From`. A method
 * returns false, and changes nothing, when the state is another one.
 *
 * | Of | Method | From | To |
 * |---|---|---|---|
 * | record | `create` | none | `running` |
 * | record | `suspend` | `running`, `error` except of a restore | `suspended` |
 * | record | `resume` | `suspended`, `error` except of a restore | `running` |
 * | record | `suspendWorkspace` | `running` | `suspended`, resumes with its workspace |
 * | record | `resumeWorkspace` | `suspended`, resumes with its workspace | `running` |
 * | record | `evictWorkspace` | any but `stopped`, except of a restore | `error` |
 * | record | `fail` | `running` | `error` |
 * | record | `loseConversation` | `running` | `running` without an ACP session, conversation lost |
 * | record | `replaceGiven` | any but `stopped` | the same |
 * | record | `stop` | `running`, `suspended`, `error` | `stopped` (final) |
 * | record | `beginRestore` | any but `stopped` | `error` of the restore |
 * | record | `endRestore`, `dropRestoredIdentity` | `error` of the restore | `running` |
 * | receipt | `refusePrompt` | none | `accepted` |
 * | receipt | `acceptPrompt` | none, `accepted` | `in_flight` |
 * | receipt | `endPrompt` | `in_flight` | `completed` or `ambiguous` (final) |
 * | rollover | `submitRollover` | none | `accepted` |
 * | rollover | `beginRollover` | `accepted` | `in_progress` |
 * | rollover | `endRollover`, `endPrompt` | `accepted`, `in_progress` | any final state |
 * | receipt | `reconcileOnStart` | `in_flight` of another run of the agent | `ambiguous` |
 * | rollover | `reconcileOnStart` | unfinished, of another run of the agent | `failed` |
 */
export class SessionRecords {
  constructor(
    private readonly database: DatabaseSync,
    private readonly stores: {
      readonly sessions: SessionStore;
      readonly receipts: ReceiptStore;
      readonly rollovers: RolloverStore;
      readonly summaries: ConversationSummaries;
    },
  ) {}

  /** Identifies this run of the agent. */
  get runtimeIdentity(): string {
    return this.stores.receipts.runtimeIdentity;
  }

  find(key: SessionKey): SessionRecord | null {
    return this.stores.sessions.find(key);
  }

  list(workspaceId: string): SessionRecord[] {
    return this.stores.sessions.list(workspaceId);
  }

  latestChat(workspaceId: string): LatestChat | null {
    return this.stores.sessions.latestChat(workspaceId);
  }

  findByIdempotencyKey(workspaceId: string, idempotencyKey: string): SessionRecord | null {
    return this.stores.sessions.findByKey(workspaceId, idempotencyKey);
  }

  /** A receipt that another run of the agent left in flight is returned as `ambiguous`. */
  findReceipt(key: DeliveryKey): Receipt | null {
    return this.stores.receipts.find(key);
  }

  /** Whether a prompt is in flight, or has failed since. */
  hasInterruptedPrompt(workspaceId: string, since: number): boolean {
    return this.stores.receipts.hasInterrupted(workspaceId, since);
  }

  /** A rollover that another run of the agent left unfinished is returned as `failed`. */
  findRollover(key: RolloverKey): StoredRollover | null {
    return this.stores.rollovers.find(key);
  }

  create(session: NewSession): boolean {
    return this.stores.sessions.create(session);
  }

  /** Its next harness gets them. Those that are not given stay. */
  replaceGiven(key: SessionKey, { mcpServers = [], interactions = null }: GivenByControlPlane): void {
    if (mcpServers.length > 0) this.stores.sessions.replaceMcpServers(key, mcpServers);
    if (interactions) this.stores.sessions.replaceInteractions(key, interactions);
  }

  suspend(key: SessionKey): boolean {
    return this.stores.sessions.move(key, { from: ['running', 'error'], to: 'suspended' });
  }

  resume(key: SessionKey): boolean {
    return this.stores.sessions.move(key, { from: ['suspended', 'error'], to: 'running' });
  }

  /** Returns the suspended sessions. */
  suspendWorkspace(workspaceId: string): SessionKey[] {
    return this.stores.sessions.suspensions.begin(workspaceId);
  }

  /** Returns the sessions that run again. */
  resumeWorkspace(workspaceId: string): SessionKey[] {
    return this.stores.sessions.suspensions.end(workspaceId);
  }

  evictWorkspace(workspaceId: string, errorMessage: string): void {
    this.stores.sessions.suspensions.evict(workspaceId, errorMessage);
  }

  stop(key: SessionKey): boolean {
    return this.stores.sessions.move(key, { from: ['running', 'suspended', 'error'], to: 'stopped' });
  }

  fail(key: SessionKey, errorMessage: string): boolean {
    return this.stores.sessions.move(key, { from: ['running'], to: 'error', errorMessage });
  }

  /** The next start of the harness opens a new ACP session. */
  chooseAgent(key: SessionKey, agentType: AgentType): boolean {
    return this.stores.sessions.applyStart(key, { agentType, keepsAcpSession: false });
  }

  /** Every later start of the harness loads this ACP session. */
  openAcpSession(key: SessionKey, acpSessionId: string): boolean {
    return this.stores.sessions.setAcpSession(key, acpSessionId);
  }

  /** The ACP session could not be loaded: the next start opens a new one. */
  loseConversation(key: SessionKey): boolean {
    return this.stores.sessions.loseConversation(key);
  }

  /** For the first prompt after a lost conversation; null when the agent has the conversation. */
  summaryFor(key: SessionKey): string | null {
    return this.find(key)?.isConversationLost ? this.stores.summaries.textOf(key) : null;
  }

  countRestart(key: SessionKey): void {
    this.stores.sessions.countRestart(key);
  }

  beginRestore(key: SessionKey): boolean {
    return this.stores.sessions.fences.begin(key);
  }

  endRestore(key: SessionKey, end: RestoreEnd): boolean {
    return this.stores.sessions.endRestore(key, end);
  }

  dropRestoredIdentity(key: SessionKey): void {
    this.stores.sessions.fences.dropIdentity(key);
  }

  refusePrompt(delivery: Delivery): void {
    this.stores.receipts.refuse(delivery);
  }

  /** Returns once the acceptance is synced to disk. The harness must not be called before. */
  acceptPrompt({ key, request, delivery, start }: Acceptance, sink: ConversationSink): void {
    const { sessions, receipts, summaries } = this.stores;
    inTransaction(this.database, () => {
      if (delivery && !receipts.claim(delivery)) throw new Error('The delivery is claimed already');
      if (start && !sessions.applyStart(key, start)) throw new Error('The session is not running');
      sessions.setLastPrompt(key, request.prompt.text);
      summaries.add(key, { from: 'person', text: request.prompt.text });
      sink.storePrompt(request.prompt);
    });
  }

  /** Commits the receipt, the rollover and the remaining messages together. */
  endPrompt(turn: Turn, end: TurnEnd, { key, sink, rollover }: EndedTurn): void {
    inTransaction(this.database, () => {
      this.endReceipt(turn, end);
      if (turn.answer !== '') this.stores.summaries.add(key, { from: 'agent', text: turn.answer });
      const hasSummary = turn.summary !== null && turn.isConfirmed && end.errorCode !== conversationLost;
      if (hasSummary) this.stores.sessions.continueConversation(key);
      if (turn.preemption && rollover) this.endRollover(turn.preemption.key, rollover);
      sink.storeRemaining(end);
    });
  }

  submitRollover(rollover: NewRollover): boolean {
    return this.stores.rollovers.submit(rollover);
  }

  beginRollover(key: RolloverKey): boolean {
    return this.stores.rollovers.begin(key);
  }

  endRollover(key: RolloverKey, end: RolloverEnd): boolean {
    return this.stores.rollovers.finish(key, end);
  }

  /** Ends what an earlier run of the agent left unfinished. Runs before requests are served. */
  reconcileOnStart(): void {
    this.stores.receipts.interruptOtherRuns();
    this.stores.rollovers.interruptOtherRuns();
  }

  removeWorkspace(workspaceId: string): void {
    for (const store of Object.values(this.stores)) store.removeWorkspace(workspaceId);
  }

  private endReceipt(turn: Turn, end: TurnEnd): void {
    const { stopReason } = end;
    const { delivery } = turn.request;
    if (!delivery) return;
    // The harness got the prompt and sent nothing until it ended: it may have run the prompt.
    if (turn.isInvoked && !turn.isConfirmed) {
      const errorCode = 'harness_ended_without_a_sign';
      this.stores.receipts.markAmbiguous(delivery, { stopReason, errorCode });
      return;
    }
    this.stores.receipts.complete(delivery, { stopReason, errorCode: errorCodeOf(turn, end) });
  }
}

function errorCodeOf(turn: Turn, { stopReason, errorCode }: TurnEnd): string | null {
  if (!turn.isInvoked) return neverInvoked;
  if (errorCode !== '') return errorCode;
  return stopReason === 'error' || stopReason === 'fatal_error' ? 'prompt_terminal_error' : null;
}
