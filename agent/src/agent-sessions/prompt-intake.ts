import { randomUUID } from 'node:crypto';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import type {
  HostStatus,
  LegacyPromptAnswer,
  PromptEnvelope,
  PromptReceipt,
} from '../../../protocol/agent-sessions.js';
import type { EndedPrompt, StartedPrompt } from '../conversation/conversation.js';
import { AgentError } from '../errors.js';
import type { EventStore } from '../store/event-store.js';
import type { PromptFence } from './prompt-fence.js';
import type { Delivery, Receipt } from './receipt-store.js';
import type { HostedSession, SessionHosts } from './session-hosts.js';
import type { SessionKey, SessionRecord } from './session-record.js';
import type { SessionRecords } from './session-records.js';
import type { SessionStart } from './session-store.js';
import type { TurnRequest } from './turn.js';

export interface IntakeRequest {
  readonly text: string;
  /** Sent to the harness before the text. Not stored as a chat message. */
  readonly instructions: string | null;
  readonly messageId: string | null;
  readonly origin: StartedPrompt['origin'];
  /** The harness settings of a start request; null for a plain prompt. */
  readonly start: SessionStart | null;
}

interface IntakeAnswer<Body, Status = 200 | 202 | 409> {
  readonly status: Status;
  readonly body: Body;
}

interface IntakeDeps {
  readonly hosts: SessionHosts;
  readonly records: SessionRecords;
  readonly events: Pick<EventStore, 'add'>;
  readonly isRunning: (workspaceId: string) => boolean;
  readonly fence: PromptFence;
  readonly now: () => number;
}

type Refusal = Exclude<LegacyPromptAnswer['status'], 'prompting'>;

/**
 * Accepts or refuses prompts. The check of the receipt, the commit of the acceptance and
 * `startTurn` are one synchronous step, so concurrent requests are decided one after the other.
 */
export class PromptIntake {
  constructor(private readonly deps: IntakeDeps) {}

  submitDelivery(
    session: SessionRecord,
    delivery: Delivery,
    request: IntakeRequest,
  ): IntakeAnswer<PromptEnvelope> {
    const known = this.deps.records.findReceipt(delivery);
    if (known && !isSame(known, delivery)) return this.envelope(409, 'conflict', known);
    if (known && known.state !== 'accepted') return this.envelope(200, 'accepted', known);
    const refusal = this.refusal(session, request);
    if (refusal === null) this.accept(session, request, delivery);
    else this.deps.records.refusePrompt(delivery);
    const receipt = this.deps.records.findReceipt(delivery);
    if (!receipt) throw new Error('Receipt not found after it was written');
    return refusal === null
      ? this.envelope(202, 'accepted', receipt)
      : this.envelope(409, 'not_ready', receipt);
  }

  submitWithoutReceipt(
    session: SessionRecord,
    request: IntakeRequest,
  ): IntakeAnswer<LegacyPromptAnswer, 202 | 409> {
    const refusal = this.refusal(session, request);
    if (refusal !== null)
      return {
        status: 409,
        body: {
          status: refusal,
          message: 'Session cannot take a prompt in this state. Retry when it is ready.',
        },
      };
    this.accept(session, request, null);
    const status = request.start ? 'starting' : 'prompting';
    return { status: 202, body: { status, sessionId: session.sessionId } };
  }

  /**
   * For a prompt of a viewer. Starts an idle harness. After a cancel, one prompt waits until the
   * harness takes prompts again. @throws AgentError session_busy
   */
  async submitFromViewer(key: SessionKey, request: IntakeRequest): Promise<EndedPrompt> {
    const turn = this.deps.hosts.find(key)?.host.turn;
    const promptStartedAt = this.deps.now();
    if (turn?.isCancelled && !(await turn.untilEnded()))
      return { stopReason: 'cancelled', errorMessage: null, errorCode: '', promptStartedAt };
    const session = this.deps.records.find(key);
    if (!session) throw new AgentError('session_not_running', 'Session is deleted, not running');
    return this.acceptFromViewer(session, request);
  }

  private acceptFromViewer(session: SessionRecord, request: IntakeRequest): Promise<EndedPrompt> {
    const { agentType } = session;
    const start = agentType && { agentType, keepsAcpSession: true };
    const refusal = start ? this.refusal(session, { ...request, start }) : 'idle';
    if (refusal === 'busy')
      throw new AgentError(
        'session_busy',
        'Session has a prompt in flight. Wait until it ends, or cancel it.',
      );
    // A harness that restarts takes the prompt afterwards.
    if (refusal !== null && refusal !== 'recovering')
      throw new AgentError(
        'session_busy',
        `Session is ${refusal} and cannot take a prompt. Retry when it is ready.`,
      );
    return this.accept(session, request, null);
  }

  describeReceipt(receipt: Receipt): PromptReceipt {
    const { deliveryId, state, acceptedAt, completedAt, errorCode } = receipt;
    // No run of the agent has claimed a refused delivery yet: this run may.
    const { runtimeIdentity } = state === 'accepted' ? this.deps.records : receipt;
    const answer = { deliveryId, state, runtimeIdentity, acceptedAt, completedAt };
    return errorCode === null ? answer : { ...answer, errorCode };
  }

  /** Null when the session can take the prompt now. */
  private refusal(session: SessionRecord, request: IntakeRequest): Refusal | null {
    if (session.status === 'suspended') return 'idle';
    if (session.status !== 'running') return session.status;
    if (!this.deps.isRunning(session.workspaceId)) return 'stopped';
    // The workspace may stop in a moment. Then the prompt waits until it runs again.
    if (this.deps.fence.isClosed(session.workspaceId)) return 'busy';
    const { host } = this.deps.hosts.of(session);
    if (host.turn) return 'busy';
    if (host.status === 'ready' || (host.status === 'idle' && request.start)) return null;
    host.startHarness();
    return refusalOf(host.status);
  }

  private accept(
    session: SessionRecord,
    request: IntakeRequest,
    delivery: Delivery | null,
  ): Promise<EndedPrompt> {
    const hosted: HostedSession = this.deps.hosts.of(session);
    const { text, messageId, origin, start } = request;
    const prompt = {
      messageId: messageId ?? randomUUID(),
      text,
      origin,
      promptStartedAt: this.deps.now(),
      isKnown: delivery !== null && messageId !== null,
    };
    const turn: TurnRequest = { prompt, blocks: blocksOf(request), delivery };
    const { workspaceId, sessionId } = session;
    this.deps.records.acceptPrompt(
      { key: { workspaceId, sessionId }, request: turn, delivery, start },
      hosted.sink,
    );
    this.deps.fence.add(workspaceId);
    this.deps.events.add({
      workspaceId,
      level: 'info',
      type: start ? 'agent_session.starting' : 'agent_session.prompt_sent',
      message: start ? 'Starting the coding agent with a prompt' : 'Prompt accepted',
      detail: { sessionId, ...(delivery && { deliveryId: delivery.deliveryId }) },
    });
    return hosted.host.startTurn(turn);
  }

  private envelope(
    status: 200 | 202 | 409,
    word: PromptEnvelope['status'],
    receipt: Receipt,
  ): IntakeAnswer<PromptEnvelope> {
    // No ACP session exists before the first start of the harness.
    const sessionId = this.deps.records.find(receipt)?.acpSessionId ?? receipt.sessionId;
    return { status, body: { status: word, sessionId, receipt: this.describeReceipt(receipt) } };
  }
}

function refusalOf(status: HostStatus): Refusal {
  return status === 'prompting' ? 'busy' : status;
}

function isSame(known: Receipt, delivery: Delivery): boolean {
  return known.requestHash === delivery.requestHash && known.protocolVersion === delivery.protocolVersion;
}

function blocksOf({ instructions, text }: IntakeRequest): ContentBlock[] {
  const texts = instructions === null ? [text] : [instructions, text];
  return texts.map((block) => ({ type: 'text', text: block }));
}
