import { RequestError } from '@agentclientprotocol/sdk';
import { redactText } from '../../shared/redact.js';
import { HarnessError } from '../harness.js';
import { type StderrTail, withoutSecrets } from '../launch/stderr-tail.js';
import { classifyFailure } from './classify-failure.js';

const maxMessageLength = 500;

export interface FailureContext {
  readonly stderr: StderrTail;
  /** Values that no message may show. */
  readonly secrets: readonly string[];
}

/** The answer of a harness to a turn, as one of ours. It is no cause: its words may hold secrets, and causes are logged. */
export function turnFailure(error: unknown, context: FailureContext): HarnessError {
  const { kind, code } = classifyFailure(wordsOf(error));
  return new HarnessError(kind, shown(error, context), { ...said(context), code });
}

/** Why a harness did not come up, while its process lived. */
export function startFailure(error: unknown, context: FailureContext): HarnessError {
  if (error instanceof HarnessError) return error;
  const { kind, code } = classifyFailure(wordsOf(error));
  const isLasting = code === 'model_provider_credential_rejected' || code === 'model_unavailable';
  const startKind = isLasting ? 'not_startable' : kind === 'transient' ? 'transient' : 'crashed_at_start';
  return new HarnessError(startKind, shown(error, context), { ...said(context), code });
}

/** What the process said last. */
export function said({ stderr, secrets }: FailureContext) {
  return { stderr: stderr.text(secrets), isStderrTruncated: stderr.isTruncated };
}

/** All that an error says, for classification only. */
export function wordsOf(error: unknown): string {
  if (error instanceof RequestError) return `${error.message} ${JSON.stringify(error.data) ?? ''}`;
  return error instanceof Error ? error.message : String(error);
}

function shown(error: unknown, { secrets }: FailureContext): string {
  const details = error instanceof RequestError ? detailsOf(error.data) : '';
  const message = error instanceof Error ? error.message : 'The harness failed';
  const text = details && !message.includes(details) ? `${message}: ${details}` : message;
  return redactText(withoutSecrets(text, secrets)).slice(0, maxMessageLength);
}

function detailsOf(data: unknown): string {
  if (typeof data === 'string') return data;
  if (typeof data !== 'object' || data === null) return '';
  const fields: Record<string, unknown> = { ...data };
  const text = fields.details ?? fields.message ?? '';
  return typeof text === 'string' ? text : '';
}
