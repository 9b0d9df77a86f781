import type { CreateElicitationRequest, CreateElicitationResponse } from '@agentclientprotocol/sdk';
import { FormDetail, UrlDetail } from '../../../protocol/interactions.js';
import { isToolCallId } from './acp-permissions.js';
import type { Outcome, Question } from './question.js';

/** Null for a form or link that breaks the rules: it is not shown to anybody. */
export function elicitationQuestion(request: CreateElicitationRequest): Question | null {
  const { message, mode } = request;
  const { toolCallId } = request as { readonly toolCallId?: unknown };
  const safeSummary = isToolCallId(toolCallId) ? { toolCallId } : {};
  if (mode === 'form') {
    const { requestedSchema } = request as { readonly requestedSchema?: unknown };
    const parsed = FormDetail.safeParse({ message, schema: withoutNotes(requestedSchema) });
    return parsed.success ? { kind: 'form', detail: parsed.data, safeSummary } : null;
  }
  const { url, elicitationId } = request as { readonly url?: unknown; readonly elicitationId?: unknown };
  const parsed = UrlDetail.safeParse({ message, url, elicitationId });
  return mode === 'url' && parsed.success ? { kind: 'url', detail: parsed.data, safeSummary } : null;
}

export function elicitationResponse(outcome: Outcome): CreateElicitationResponse {
  if (outcome.kind === 'ended') return { action: 'cancel' };
  const { answer } = outcome;
  if (answer.kind !== 'accepted') return { action: 'decline' };
  return { action: 'accept', ...(answer.content && { content: answer.content }) };
}

/** Notes of a harness (`_meta`) and null, which ACP treats as absent, are no part of a form. */
function withoutNotes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNotes);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name, nested]) => name !== '_meta' && nested !== null);
  return Object.fromEntries(kept.map(([name, nested]) => [name, withoutNotes(nested)]));
}
