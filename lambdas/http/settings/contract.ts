import * as z from 'zod/mini';
import { LaunchSettings } from '../../domain/launch/launch-layer.js';
import { contract } from '../../edge/contract.js';

const Settings = z.object({ settings: LaunchSettings });

export const agents = contract({
  summary: 'How you want your agents to be',
  description:
    'The layer above the platform: what a project, a skill, a profile or a submission says comes first.',
  responses: { 200: Settings },
});

export const storeAgents = contract({
  summary: 'Say how you want your agents to be',
  description: 'In the place of what you said before; what is absent or null is left to the platform.',
  body: LaunchSettings,
  example: { agentType: 'claude-code', agentDefaults: { 'claude-code': { model: 'claude-opus-4-5' } } },
  responses: { 200: Settings },
});
