import type * as z from 'zod/mini';
import { whyReserved } from '../../../protocol/reserved-variables.js';
import type { ProfileOrSkill } from '../../domain/profiles/profile-or-skill.js';
import type { ProfileBody } from './contract.js';

/** With the names of its variables, without their values. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one default for each field
export function profileView({ profileId, settings, environment, ...profile }: ProfileOrSkill) {
  const { resourceRequirements } = settings;
  return {
    ...profile,
    id: profileId,
    agentType: settings.agentType ?? null,
    model: settings.model ?? null,
    effort: settings.effort ?? null,
    permissionMode: settings.permissionMode ?? null,
    opencodeProvider: settings.opencodeProvider ?? null,
    opencodeBaseUrl: settings.opencodeBaseUrl ?? null,
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

/** For a variable that was stored before the rule that refuses it. */
function refusedOf(name: string): { readonly refused?: string } {
  const why = whyReserved(name);
  return why ? { refused: `It is not set: it ${why}` } : {};
}

/** The change of a request body, in the terms of the domain. */
export function changeOf(body: z.output<typeof ProfileBody>) {
  const { name, version, description, resourceRequirementsJson, environment, ...settings } = body;
  return {
    description,
    settings: { ...settings, resourceRequirements: resourceRequirementsJson },
    environment: environment === undefined ? {} : environment,
  };
}
