import type { HarnessErrorKind, HarnessFailureCode } from '../harness.js';

/** What an error of a turn means; `crashed` is for harnesses that live on while what they drive has died. */
export interface Failure {
  readonly kind: Extract<HarnessErrorKind, 'transient' | 'failed' | 'crashed'>;
  readonly code: HarnessFailureCode;
}

/** In order: what is said of a credential must not be retried because a status is near it. */
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

/** Reads the words of an error, for want of anything better: providers and harnesses agree on no code. */
export function classifyFailure(text: string): Failure {
  const rule = rules.find(([pattern]) => pattern.test(text));
  return rule ? rule[1] : { kind: 'failed', code: '' };
}
