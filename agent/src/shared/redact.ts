const secretName = /token|authorization|secret|password|passwd|cookie|credential|private.?key|api.?key/i;

/** Name of a secret variable, parameter or field, including a prefix. */
const secretTextName = String.raw`(?<![\w-])[\w-]{0,64}?(?:token|secret|passw(?:or)?d|api[_-]?key|private[_-]?key)(?:[_-](?:access[_-])?key)?`;

/**
 * Every pattern runs in linear time: the writer of a log line must not be able to delay its reader.
 */
const secretPatterns: readonly (readonly [RegExp, string])[] = [
  // JWTs. The lookahead for two dots keeps the search linear.
  [/(?<![\w-])(?=[\w-]+\.[\w-]+\.)([\w-]*?)\beyJ[\w-]{4,}\.[\w-]+\.[\w-]*/g, '$1[redacted]'],
  [/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, '$1 [redacted]'],
  [new RegExp(String.raw`(${secretTextName}=)(?:"[^"]*"|'[^']*'|[^\s&"']+)`, 'gi'), '$1[redacted]'],
  [new RegExp(String.raw`(${secretTextName}"\s*:\s*)"(?:[^"\\]|\\.)*"`, 'gi'), '$1"[redacted]"'],
  // User info of an address: https://user:secret@host
  [/(:\/\/)[^\s/@:]+:[^\s/@]+@/g, '$1[redacted]@'],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|sk-)[\w-]{10,}/g, '[redacted]'],
  [
    /-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-(?!----BEGIN )[^-]*)*?-----END [A-Z ]*PRIVATE KEY-----/g,
    '[redacted]',
  ],
];

/** The text without anything that looks like a secret. */
export function redactText(text: string): string {
  return secretPatterns.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), text);
}

/** A copy fit for a log: values under names of secrets and texts that hold one are replaced. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (value instanceof Error) return redactError(value, depth);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > 6) return '[deep]';
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      secretName.test(name) && typeof item === 'string' ? '[redacted]' : redact(item, depth + 1),
    ]),
  );
}

function redactError(error: Error, depth: number): Record<string, unknown> {
  return {
    name: error.name,
    message: redactText(error.message),
    ...('code' in error ? { code: error.code } : {}),
    ...(error.cause !== undefined && depth < 4 ? { cause: redact(error.cause, depth + 1) } : {}),
    ...(error.stack ? { stack: redactText(error.stack) } : {}),
  };
}
