import { RequestError } from '@agentclientprotocol/sdk';
import { redactText } from '../shared/redact.js';
import { HarnessError, type HarnessErrorKind, type HarnessFailureCode } from './harness.js';
import { type StderrTail, withoutSecrets } from './harness-process.js';

const maxMessageLength = 500;

export interface FailureContext {
  readonly stderr: StderrTail;
  /** Values to redact from messages. */
  readonly secrets: readonly string[];
}

/** Converts an error of a turn. Not kept as `cause`: causes are logged, and may hold secrets. */
export function turnFailure(error: unknown, context: FailureContext): HarnessError {
  const { kind, code } = classifyFailure(errorText(error));
  const detail = { ...stderrDetail(context), code, isContextFull: isContextFull(errorText(error)) };
  return new HarnessError(kind, failureText(error, context), detail);
}

/** Converts an error of a start whose process is still running. */
export function startFailure(error: unknown, context: FailureContext): HarnessError {
  if (error instanceof HarnessError) return error;
  const { kind, code } = classifyFailure(errorText(error));
  const isLasting = code === 'model_provider_credential_rejected' || code === 'model_unavailable';
  const startKind = isLasting ? 'not_startable' : kind === 'transient' ? 'transient' : 'crashed_at_start';
  return new HarnessError(startKind, failureText(error, context), { ...stderrDetail(context), code });
}

/** The end of a harness whose memory was full. */
export function outOfMemoryFailure(name: string, how: string, context: FailureContext): HarnessError {
  const message = `${name} was ended by the kernel: ${how}. Use a larger size, or run less at the same time`;
  return new HarnessError('crashed', message, {
    ...stderrDetail(context),
    code: 'harness_out_of_memory',
  });
}

/** The redacted end of standard error. */
export function stderrDetail({ stderr, secrets }: FailureContext) {
  return { stderr: stderr.text(secrets), isStderrTruncated: stderr.isTruncated };
}

/** All text of an error, for classification only. */
export function errorText(error: unknown): string {
  if (error instanceof RequestError) return `${error.message} ${JSON.stringify(error.data) ?? ''}`;
  return error instanceof Error ? error.message : String(error);
}

/** Message and details of an error: redacted, bounded. */
export function failureText(error: unknown, { secrets }: Pick<FailureContext, 'secrets'>): string {
  const details = error instanceof RequestError ? detailsOf(error.data) : '';
  const message = error instanceof Error ? error.message : 'The harness failed';
  const text = details && !message.includes(details) ? `${message}: ${details}` : message;
  return redactText(withoutSecrets(text, secrets)).slice(0, maxMessageLength);
}

function detailsOf(data: unknown): string {
  if (typeof data === 'string') return data;
  if (typeof data !== 'object' || data === null || Object.keys(data).length === 0) return '';
  const fields: Record<string, unknown> = { ...data };
  const text = fields.details ?? fields.message ?? data;
  return typeof text === 'string' ? text : JSON.stringify(text);
}

/** Class of an error. `crashed`: the harness runs, but the program that it drives ended. */
interface Failure {
  readonly kind: Extract<HarnessErrorKind, 'transient' | 'failed' | 'crashed'>;
  readonly code: HarnessFailureCode;
}

/** In order: a credential error must not be retried because its text names a status. */
const rules: readonly (readonly [pattern: RegExp, failure: Failure])[] = [
  [
    /mcp[^\n]{0,200}(?:\b401\b|unauthorized|needs? auth|requires? auth)/i,
    { kind: 'failed', code: 'mcp_endpoint_needs_auth' },
  ],
  [
    /(?:oauth|callback|redirect)[^\n]{0,80}(?:localhost|127\.0\.0\.1)/i,
    { kind: 'failed', code: 'unsupported_loopback_auth' },
  ],
  [
    /authentication_error|invalid.{0,3}(?:api.?key|x-api-key|bearer)|incorrect api key|authentication required|unauthorized|(?:error|http|status(?:[_ ]?code)?)["': ]{0,4}40[13]\b|permission_error|(?:token|credential)s?\b[^\n]{0,40}(?:expired|revoked|invalid)|please run \/login|not logged in/i,
    { kind: 'failed', code: 'model_provider_credential_rejected' },
  ],
  [
    /(?:api error|http|status(?:[_ ]?code)?)["': ]{0,4}(?:429|50[0234]|529)\b|overloaded|rate[ _-]?limit|too many requests|service[ _]unavailable|bad gateway|gateway time-?out|temporar(?:il)?y[ _]unavailable/i,
    { kind: 'transient', code: 'provider_overloaded' },
  ],
  [
    /model[^\n]{0,80}(?:not found|not available|does not exist|unavailable|not supported)|(?:unknown|invalid|no such) model|model_not_found/i,
    { kind: 'failed', code: 'model_unavailable' },
  ],
  [
    /broken pipe|\bEPIPE\b|peer disconnected|unexpected (?:eof|end of file)|process (?:exited|terminated|crashed|died|was killed)|exited with code|connection closed/i,
    { kind: 'crashed', code: 'agent_crash' },
  ],
  [
    /\bE(?:CONNREFUSED|CONNRESET|NOTFOUND|TIMEDOUT|AI_AGAIN|HOSTUNREACH|NETUNREACH)\b|connection reset|fetch failed|network error|getaddrinfo|socket hang up|dns|connection error/i,
    { kind: 'failed', code: 'network_error' },
  ],
];

const contextFull =
  /prompt is too long|prompt too long|context_length_exceeded|context_exhausted|context ?window ?exceeded|maximum context length|exceeds?[^\n]{0,40}context|(?:room|space) in the model's context window|exceeds the maximum number of tokens/i;

/** The conversation exceeds the context of the model: no repeat helps. */
export function isContextFull(text: string): boolean {
  return contextFull.test(text);
}

/** Classifies by text: providers and harnesses share no error codes. */
export function classifyFailure(text: string): Failure {
  if (isContextFull(text)) return { kind: 'failed', code: '' };
  const rule = rules.find(([pattern]) => pattern.test(text));
  return rule ? rule[1] : { kind: 'failed', code: '' };
}
