import type { AgentType, HostStatus } from '../../../protocol/agent-sessions.js';
import type { AnswerInteractionFrame, InteractionServerFrame } from '../../../protocol/interaction-frames.js';
import type { EndedPrompt, SessionControls } from '../conversation/conversation.js';
import { AgentError } from '../errors.js';
import type { PromptIntake } from './prompt-intake.js';
import { restoring } from './restore-fences.js';
import type { SessionHosts } from './session-hosts.js';
import { type SessionKey, type SessionRecord, statusWithoutHost } from './session-record.js';
import type { SessionRecords } from './session-records.js';

/** What viewers may do with a session. Looks up the current host on each call. */
export class HostControls implements SessionControls {
  constructor(
    private readonly key: SessionKey,
    private readonly deps: {
      readonly records: SessionRecords;
      readonly hosts: SessionHosts;
      readonly intake: PromptIntake;
      /** Makes a session in `error` running. */
      readonly resume: () => Promise<SessionRecord>;
    },
  ) {}

  get hostStatus(): HostStatus {
    const host = this.deps.hosts.find(this.key)?.host;
    return host?.status ?? statusWithoutHost(this.deps.records.find(this.key)?.status ?? 'stopped');
  }

  get agentType(): AgentType | null {
    return this.deps.records.find(this.key)?.agentType ?? null;
  }

  get errorMessage(): string | null {
    return this.deps.records.find(this.key)?.errorMessage ?? null;
  }

  /** Also starts the agent of a session in `error`. The host reports a failed start itself. */
  async selectAgent(agentType: AgentType): Promise<void> {
    const session = await this.resumed();
    const { host } = this.deps.hosts.of(session);
    if (host.status !== 'idle' && host.status !== 'ready')
      throw new AgentError('session_busy', `Session is ${host.status}. Retry when it is idle or ready.`);
    if (session.agentType !== agentType) this.deps.records.chooseAgent(this.key, agentType);
    await host.startChosenAgent();
  }

  async prompt(text: string, messageId: string | null): Promise<EndedPrompt> {
    this.running();
    return this.deps.intake.submitFromViewer(this.key, {
      text,
      messageId,
      instructions: null,
      origin: 'user',
      start: null,
    });
  }

  async cancel(): Promise<boolean> {
    return this.deps.hosts.find(this.key)?.host.cancel() ?? false;
  }

  get interactions(): readonly InteractionServerFrame[] {
    return this.deps.hosts.find(this.key)?.interactions.frames ?? [];
  }

  answer({ interactionId, decision }: AnswerInteractionFrame): InteractionServerFrame | null {
    const interactions = this.deps.hosts.find(this.key)?.interactions;
    const status = interactions?.answer({ interactionId, answer: decision, by: 'viewer' }) ?? 'no_waiter';
    if (status === 'consumed') return null;
    const refused = { type: 'interaction_refused', interactionId } as const;
    if (status === 'no_waiter')
      return { ...refused, code: 'not_pending', message: 'The request no longer waits for an answer' };
    return interactions?.isPending(interactionId)
      ? { ...refused, code: 'invalid_answer', message: 'The request does not offer this answer' }
      : { ...refused, code: 'already_answered', message: 'Another answer came first' };
  }

  private async resumed(): Promise<SessionRecord> {
    const session = this.deps.records.find(this.key);
    if (session?.status !== 'error') return this.running();
    if (session.errorMessage === restoring) throw new AgentError('session_busy', restoring);
    return this.deps.resume();
  }

  private running(): SessionRecord {
    const session = this.deps.records.find(this.key);
    if (session?.status === 'running') return session;
    throw new AgentError('session_not_running', `Session is ${session?.status ?? 'deleted'}, not running`);
  }
}
