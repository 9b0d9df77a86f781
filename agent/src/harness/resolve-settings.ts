import type { AgentKey, AgentSettings } from '../../../protocol/agent-callbacks.js';
import type { HarnessSettings } from './harness.js';

/** What the start asked for comes first, then what the person has set for the kind, then what goes with the key. */
export function resolveSettings(
  asked: HarnessSettings,
  stored: AgentSettings,
  key: AgentKey | null,
): HarnessSettings {
  return {
    model: asked.model ?? stored.model ?? key?.inferenceConfig?.model ?? null,
    permissionMode: asked.permissionMode ?? stored.permissionMode ?? null,
    effort: asked.effort ?? stored.effort ?? null,
    opencodeProvider: asked.opencodeProvider ?? stored.opencodeProvider ?? null,
    opencodeBaseUrl: asked.opencodeBaseUrl ?? stored.opencodeBaseUrl ?? null,
  };
}
