import * as z from 'zod/mini';
import { LaunchSettings } from '../../domain/launch/launch-layer.js';
import { contract } from '../../edge/contract.js';

const Settings = z.object({ settings: LaunchSettings });

export const agents = contract({
  summary: 'Get your agent settings',
  description:
    'Your settings override the platform defaults. Settings of a project, a skill, a profile or a submission override yours.',
  responses: { 200: Settings },
});

export const storeAgents = contract({
  summary: 'Replace your agent settings',
  description:
    'Replaces all earlier settings. A field that is absent or null uses the platform default. A request without a body is refused.',
  body: LaunchSettings,
  example: { agentType: 'claude-code', agentDefaults: { 'claude-code': { model: 'claude-opus-4-5' } } },
  responses: { 200: Settings },
});
