import type { AnswerInteraction, AnswerInteractionResult } from '../../../protocol/interactions.js';
import type { SessionHosts } from './session-hosts.js';
import type { SessionKey } from './session-record.js';

interface InteractionAnswersDeps {
  readonly runtimeIdentity: string;
  readonly hosts: Pick<SessionHosts, 'find'>;
}

/** The answers that the control plane delivers. */
export class InteractionAnswers {
  constructor(private readonly deps: InteractionAnswersDeps) {}

  deliver(key: SessionKey, body: AnswerInteraction): AnswerInteractionResult {
    const { interactionId, decision: answer, generation, runtimeIdentity } = body;
    const interactions = this.deps.hosts.find(key)?.interactions;
    // Without a host, nothing that this run requested waits.
    const absent = runtimeIdentity === this.deps.runtimeIdentity ? 'no_waiter' : 'stale_generation';
    const from = { generation, runtimeIdentity };
    const status = interactions?.answer({ interactionId, answer, by: 'control_plane', from }) ?? absent;
    const present = interactions?.waiter ?? { generation, runtimeIdentity: this.deps.runtimeIdentity };
    return { status, interactionId, ...present };
  }
}
