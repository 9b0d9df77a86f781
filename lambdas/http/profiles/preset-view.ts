import { whyReserved } from '../../../protocol/reserved-variables.js';
import type { Preset } from '../../domain/profiles/preset.js';

/** Names of its variables, never their values. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: guards in the order of the decision, each with its own outcome
export function presetView({ presetId, settings, environment, ...preset }: Preset) {
  const { resourceRequirements } = settings;
  return {
    ...preset,
    id: presetId,
    agentType: settings.agentType ?? null,
    model: settings.model ?? null,
    effort: settings.effort ?? null,
    permissionMode: settings.permissionMode ?? null,
    systemPromptAppend: settings.systemPromptAppend ?? null,
    workspaceProfile: settings.workspaceProfile ?? null,
    devcontainerConfigName: settings.devcontainerConfigName ?? null,
    taskMode: settings.taskMode ?? null,
    taskExecutionTimeoutMs: settings.taskExecutionTimeoutMs ?? null,
    resourceRequirementsJson: resourceRequirements ? JSON.stringify(resourceRequirements) : null,
    environment: Object.keys(environment)
      .sort()
      .map((name) => ({ name, ...refusedOf(name) })),
  };
}

/** Of a variable that was stored before it was refused. */
function refusedOf(name: string): { readonly refused?: string } {
  const why = whyReserved(name);
  return why ? { refused: `It is not set: it ${why}` } : {};
}
