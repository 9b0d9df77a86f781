import type { AgentType } from '../../../../protocol/agent-sessions.js';
import { amp } from './amp.js';
import { claudeCode } from './claude-code.js';
import { googleGemini } from './google-gemini.js';
import type { HarnessKind } from './harness-kind.js';
import { mistralVibe } from './mistral-vibe.js';
import { openaiCodex } from './openai-codex.js';
import { opencode } from './opencode.js';

export const harnessKinds: Readonly<Record<AgentType, HarnessKind>> = {
  'claude-code': claudeCode,
  'openai-codex': openaiCodex,
  'google-gemini': googleGemini,
  'mistral-vibe': mistralVibe,
  opencode,
  amp,
};
