import type {
  PermissionOption,
  PermissionOptionKind,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import { interactionLimits, optionKinds } from '../../../protocol/interactions.js';
import type { Outcome, Question } from './question.js';

export const cancelled: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };

/** Without the input of the tool. Null when the request offers nothing to choose. */
export function permissionQuestion({ toolCall, options }: RequestPermissionRequest): Question | null {
  const offered = offeredOptions(options);
  if (offered.length === 0) return null;
  const title = oneLine(toolCall.title ?? '', interactionLimits.titleChars);
  const kind = oneLine(toolCall.kind ?? '', interactionLimits.toolKindChars);
  const id = isToolCallId(toolCall.toolCallId) ? { toolCallId: toolCall.toolCallId } : {};
  return {
    kind: 'permission',
    detail: {
      permissionName: title || kind || 'A tool',
      options: offered,
      toolCall: { ...id, ...(title && { title }), ...(kind && { kind }) },
    },
    safeSummary: { ...id, optionCount: offered.length },
  };
}

/** The first options with different ids. */
function offeredOptions(options: readonly PermissionOption[]) {
  const usable = options.filter(isUsable).slice(0, interactionLimits.options);
  const byId = new Map(usable.map((option) => [option.optionId, option]));
  return [...byId.values()].map(({ optionId, kind, name }) => ({
    id: optionId,
    kind: optionKinds.find((known) => known === kind) ?? ('custom' as const),
    name: oneLine(name, interactionLimits.optionNameChars) || optionId,
  }));
}

export const isToolCallId = (id: unknown): id is string =>
  typeof id === 'string' && id !== '' && id.length <= interactionLimits.toolCallIdChars;

/** Nobody answered in time, or declined: a refusal, so that the turn goes on. */
export function permissionResponse(
  { options }: Pick<RequestPermissionRequest, 'options'>,
  outcome: Outcome,
): RequestPermissionResponse {
  if (outcome.kind === 'ended')
    return outcome.reason === 'expired' ? choose(options, ['reject_once', 'reject_always']) : cancelled;
  const { answer } = outcome;
  if (answer.kind === 'selected_option')
    return { outcome: { outcome: 'selected', optionId: answer.optionId } };
  return choose(options, ['reject_once', 'reject_always']);
}

/** The first option of the first kind; cancelled without one. */
export function choose(
  options: readonly PermissionOption[],
  kinds: readonly PermissionOptionKind[],
): RequestPermissionResponse {
  for (const kind of kinds) {
    const option = options.find((offered) => offered.kind === kind);
    if (option) return { outcome: { outcome: 'selected', optionId: option.optionId } };
  }
  return cancelled;
}

const isUsable = ({ optionId }: PermissionOption): boolean =>
  optionId.length > 0 && optionId.length <= interactionLimits.optionIdChars;

function oneLine(text: string, length: number): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, length);
}
