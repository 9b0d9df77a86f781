import { maxResetMs, type ReportedWindow } from '../../../protocol/usage-windows.js';
import { type FieldError, InvalidRequest } from '../../shared/errors.js';

const dayMs = 24 * 60 * 60_000;

/** How far the clock of a node may be ahead. Later figures would stay the newest until then. */
const maxAheadMs = 5 * 60_000;
const maxAgeMs = dayMs;
const maxMonthlyResetMs = 32 * dayMs;

/**
 * The times of a report, by the clock of the control plane.
 *
 * @throws {InvalidRequest} a window was observed in the future or long ago, or its reset is too far
 * ahead
 */
export function requireCredible(windows: readonly ReportedWindow[], now: Date): void {
  const problems = windows.flatMap((window, index) =>
    problemsOf(window, now).map(({ field, message }) => ({ field: `rateLimits.${index}.${field}`, message })),
  );
  if (problems.length > 0) throw new InvalidRequest('A rate limit has a time that cannot be right', problems);
}

function problemsOf({ observedAt, resetsAt, windowType }: ReportedWindow, now: Date): FieldError[] {
  const ahead = Date.parse(observedAt) - now.getTime();
  const toReset = resetsAt === undefined ? 0 : Date.parse(resetsAt) - now.getTime();
  const latest = windowType === 'opencode.monthly' ? maxMonthlyResetMs : maxResetMs;
  return [
    ...(ahead > maxAheadMs ? [problem('observedAt', 'Must not be more than 5 minutes ahead')] : []),
    ...(-ahead > maxAgeMs ? [problem('observedAt', 'Must not be more than 24 hours ago')] : []),
    ...(toReset > latest ? [problem('resetsAt', `Must not be more than ${latest / dayMs} days ahead`)] : []),
  ];
}

const problem = (field: string, message: string): FieldError => ({ field, message });
