import { duration, parsed } from '../variable.js';

/** Limits of the server's clients. */
export const httpVariables = {
  readTimeoutMs: duration(
    'HTTP_READ_TIMEOUT',
    '15s',
    'Timeout of reading headers, and bodies that are not streamed',
  ),
  idleTimeoutMs: duration('HTTP_IDLE_TIMEOUT', '60s', 'Timeout of an idle connection'),
  /** Null: the control plane's origin. */
  allowedOrigins: parsed<readonly string[] | null>(
    [
      'ALLOWED_ORIGINS',
      'derived',
      'Origins whose pages may read responses, separated by commas; each may contain one `*`. derived: the control plane',
    ],
    'origins such as https://berth.example.com,https://*.berth.example.com',
    originsOf,
  ),
};

function originsOf(given: string): readonly string[] | null | undefined {
  if (given === 'derived') return null;
  const origins = given.split(',').map((part) => part.trim().replace(/\/$/, ''));
  return origins.every((origin) => /^https?:\/\/[\w.*:[\]-]+$/.test(origin) && origin.split('*').length <= 2)
    ? origins
    : undefined;
}
