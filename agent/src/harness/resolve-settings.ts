import type { AgentKey, AgentSettings } from '../../../protocol/agent-callbacks.js';
import type { HarnessSettings } from './harness.js';

/** The settings of the request come first, then those of the person, then those of the key. */
export function resolveSettings(
  requested: HarnessSettings,
  stored: AgentSettings,
  key: AgentKey | null,
): HarnessSettings {
  return {
    model: requested.model ?? stored.model ?? key?.inferenceConfig?.model ?? null,
    permissionMode: requested.permissionMode ?? stored.permissionMode ?? null,
    effort: requested.effort ?? stored.effort ?? null,
    opencodeProvider: requested.opencodeProvider ?? stored.opencodeProvider ?? null,
    opencodeBaseUrl: requested.opencodeBaseUrl ?? stored.opencodeBaseUrl ?? null,
  };
}
