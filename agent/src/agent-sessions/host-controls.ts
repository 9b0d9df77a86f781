import type { AgentType, HostStatus } from '../../../protocol/agent-sessions.js';
import type { EndedPrompt, SessionControls } from '../conversation/conversation.js';
import { AgentError } from '../errors.js';
import type { PromptIntake } from './prompt-intake.js';
import type { Hosts } from './session-hosts.js';
import type { SessionKey, SessionRecord } from './session-record.js';
import type { SessionStore } from './session-store.js';

/** A session as its viewers may steer it, whichever host it has at the moment. */
export class HostControls implements SessionControls {
  constructor(
    private readonly key: SessionKey,
    private readonly parts: {
      readonly store: SessionStore;
      readonly hosts: Hosts;
      readonly intake: PromptIntake;
    },
  ) {}

  get hostStatus(): HostStatus {
    const host = this.parts.hosts.find(this.key)?.host;
    return host?.status ?? statusWithoutHost(this.parts.store.find(this.key)?.status ?? 'stopped');
  }

  get agentType(): AgentType | null {
    return this.parts.store.find(this.key)?.agentType ?? null;
  }

  get errorMessage(): string | null {
    return this.parts.store.find(this.key)?.errorMessage ?? null;
  }

  async selectAgent(agentType: AgentType): Promise<void> {
    const session = this.running();
    const { host } = this.parts.hosts.of(session);
    if (host.status !== 'idle' && host.status !== 'ready')
      throw new AgentError('session_busy', `The session is ${host.status}`);
    if (session.agentType !== agentType)
      this.parts.store.start(this.key, { agentType, keepsAcpSession: false });
    await host.select();
    if (host.errorMessage !== null) throw new AgentError('session_not_running', host.errorMessage);
  }

  async prompt(text: string, messageId: string | null): Promise<EndedPrompt> {
    return this.parts.intake.watched(this.running(), {
      text,
      messageId,
      instructions: null,
      origin: 'user',
      start: null,
    });
  }

  async cancel(): Promise<boolean> {
    return this.parts.hosts.find(this.key)?.host.cancel() ?? false;
  }

  private running(): SessionRecord {
    const session = this.parts.store.find(this.key);
    if (session?.status === 'running') return session;
    throw new AgentError('session_not_running', `The session is ${session?.status ?? 'gone'}`);
  }
}

export function statusWithoutHost(status: SessionRecord['status']): HostStatus {
  return status === 'error' || status === 'stopped' ? status : 'idle';
}
