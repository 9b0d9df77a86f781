import type * as z from 'zod/mini';
import type { PresetBody } from './preset-contracts.js';

/** What a request says, as the domain has it. */
export function presetChange(body: z.output<typeof PresetBody>) {
  const { name, version, description, resourceRequirementsJson, environment, ...settings } = body;
  return {
    description,
    settings: { ...settings, resourceRequirements: resourceRequirementsJson },
    environment: environment === undefined ? {} : environment,
  };
}
