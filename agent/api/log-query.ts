import * as z from 'zod/mini';
import { logLevels } from '../src/shared/log.js';

const logSources = ['all', 'agent', 'cloud-init', 'docker', 'systemd'] as const;

export interface LogLimits {
  readonly defaultLimit: number;
  readonly maxLimit: number;
}

const time = z.pipe(
  z.string().check(
    z.maxLength(64),
    z.refine((text) => timeOf(text) !== null, 'must be a time such as 2026-01-31T12:00:00Z or -15m'),
  ),
  z.transform((text) => timeOf(text) ?? ''),
);

/** Query of a page of log entries. */
export function logQuery({ defaultLimit, maxLimit }: LogLimits) {
  return z.object({
    source: z._default(z.enum(logSources), 'all'),
    level: z._default(z.enum(logLevels), 'info'),
    container: z.optional(z.string().check(z.regex(/^[\w.-]{1,128}$/))),
    since: z.optional(time),
    until: z.optional(time),
    search: z.optional(z.string().check(z.maxLength(1_000))),
    cursor: z.optional(z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\/\d{1,6}$/))),
    limit: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(maxLimit)), defaultLimit),
  });
}
export type LogQuery = z.infer<ReturnType<typeof logQuery>>;

/** In the form of log entries; null when the text is no time. */
function timeOf(text: string): string | null {
  const ago = /^-(\d{1,7})([smhd])$/.exec(text);
  const seconds = { s: 1, m: 60, h: 3_600, d: 86_400 }[ago?.[2] ?? ''] ?? 0;
  const at = ago ? Date.now() - Number(ago[1]) * seconds * 1_000 : Date.parse(text);
  return Number.isNaN(at) || Math.abs(at) > 8e15 ? null : new Date(at).toISOString();
}
