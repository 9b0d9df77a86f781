import { createHash } from 'node:crypto';
import {
  type PromptAgentSession,
  promptProtocolVersion,
  type StartAgentSession,
} from '../../../protocol/agent-sessions.js';
import { AgentError } from '../errors.js';
import type { HarnessSettings } from '../harness/harness.js';
import type { IntakeRequest } from './prompt-intake.js';
import type { Delivery } from './receipt-store.js';
import type { SessionKey, SessionRecord } from './session-record.js';
import type { SessionStart } from './session-store.js';

/** @throws AgentError unsupported_protocol_version */
export function checkVersion(protocolVersion: number | undefined): void {
  if (protocolVersion === promptProtocolVersion) return;
  const message = `Prompt protocol version ${protocolVersion ?? '(none)'} is not supported`;
  const extra = { supportedVersions: [promptProtocolVersion] };
  throw new AgentError('unsupported_protocol_version', message, { extra });
}

/** Null for a legacy request. */
export function deliveryOf(
  { workspaceId, sessionId }: SessionKey,
  body: PromptAgentSession | StartAgentSession,
): Delivery | null {
  const { deliveryId, protocolVersion, messageId = '' } = body;
  if (deliveryId === undefined) return null;
  checkVersion(protocolVersion);
  const version = promptProtocolVersion;
  const parts =
    'prompt' in body
      ? [version, messageId, 'prompt', body.prompt]
      : [version, messageId, 'start', body.agentType, ...startTexts(body)];
  const key = { workspaceId, sessionId, deliveryId };
  return { ...key, protocolVersion: version, requestHash: requestHash(parts) };
}

export function promptRequest({ prompt, messageId }: PromptAgentSession): IntakeRequest {
  return { text: prompt, messageId: messageId ?? null, instructions: null, origin: 'user', start: null };
}

export function startRequest(session: SessionRecord, body: StartAgentSession): IntakeRequest {
  return {
    text: body.initialPrompt,
    messageId: body.messageId ?? null,
    instructions: body.injectedInstructions ?? null,
    origin: 'user',
    start: sessionStart(session, body),
  };
}

/** The length separates the two texts unambiguously. */
function startTexts({ initialPrompt, injectedInstructions = '' }: StartAgentSession) {
  return [initialPrompt.length, initialPrompt, injectedInstructions];
}

function sessionStart(session: SessionRecord, body: StartAgentSession): SessionStart {
  const { agentType, mcpServers, acpInteractions: interactions, projectId, taskId, taskMode } = body;
  return {
    agentType,
    keepsAcpSession: session.agentType === agentType,
    settings: settingsOf(body),
    ...(mcpServers && { mcpServers }),
    ...(interactions && { interactions }),
    ...(projectId !== undefined && { projectId }),
    ...(taskId !== undefined && { taskId }),
    ...(taskMode && { taskMode }),
  };
}

function settingsOf(body: StartAgentSession): HarnessSettings {
  return {
    model: body.model ?? null,
    permissionMode: body.permissionMode ?? null,
    effort: body.effort ?? null,
    opencodeProvider: body.opencodeProvider ?? null,
    opencodeBaseUrl: body.opencodeBaseUrl ?? null,
  };
}

/** Compares requests without storing their text. Only the last part may contain NUL. */
export function requestHash(parts: readonly (string | number)[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex');
}
