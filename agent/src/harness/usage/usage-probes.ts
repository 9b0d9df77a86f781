import type { AgentKey } from '../../../../protocol/agent-callbacks.js';
import type { Log } from '../../shared/log.js';
import type { HarnessCallbacks } from '../credentials/harness-callbacks.js';
import type { HarnessRequest, HarnessSettings } from '../harness.js';
import { probeUsage } from './usage-probe.js';

export interface UsageOptions {
  readonly nodeId: string;
  /** Null: nothing is asked. */
  readonly address: string | null;
  readonly timeoutMs: number;
}

export interface Turn {
  readonly request: HarnessRequest;
  readonly settings: HarnessSettings;
  readonly key: AgentKey | null;
}

/**
 * Tells the control plane, after each completed turn, what is left of the allowance of the provider whose subscription
 * has one. Its other offering has nothing to ask. One probe at a time a session; a turn that ends meanwhile is covered
 * by the next.
 */
export class UsageProbes {
  private readonly inFlight = new Set<string>();

  constructor(
    private readonly options: UsageOptions,
    private readonly callbacks: HarnessCallbacks,
    private readonly log: Log,
  ) {}

  /** Never holds a session up, and never fails it. */
  afterTurn(turn: Turn): void {
    const { workspace, sessionId } = turn.request;
    const session = `${workspace.workspaceId}/${sessionId}`;
    if (this.inFlight.has(session)) return;
    this.inFlight.add(session);
    this.probe(turn)
      .catch((error: unknown) => this.log.debug('Usage of a provider is not known', { sessionId, error }))
      .finally(() => this.inFlight.delete(session));
  }

  private async probe({ request, settings, key }: Turn): Promise<void> {
    const { address, timeoutMs, nodeId } = this.options;
    const { workspace, sessionId, projectId, agentType } = request;
    if (!address || !projectId || !isMetered(agentType, settings) || !hasOwnKey(key)) return;
    const now = () => new Date();
    const rateLimits = await probeUsage({ address, key: key.apiKey, timeoutMs, now });
    if (rateLimits.length === 0) return;
    await this.callbacks.usage(
      workspace,
      { projectId, sessionId },
      {
        nodeId,
        workspaceId: workspace.workspaceId,
        agentType,
        source: 'provider-usage',
        observedAt: now().toISOString(),
        rateLimits,
      },
    );
  }
}

function isMetered(agentType: string, { opencodeProvider }: HarnessSettings): boolean {
  return agentType === 'opencode' && opencodeProvider === 'opencode-go';
}

/** A key that is the control plane's to use says nothing of the person's allowance. */
function hasOwnKey(key: AgentKey | null): key is AgentKey {
  return key !== null && key.credentialKind === 'api-key' && !key.inferenceConfig;
}
