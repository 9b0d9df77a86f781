import type { UsageWindow } from '../../../protocol/usage-windows.js';

/** How near a credential is to a limit of its provider, from the best to the worst. */
export const limitLevels = ['ok', 'warning', 'critical', 'rejected'] as const;
export type LimitLevel = (typeof limitLevels)[number];

/** CREDENTIAL_LIMIT_WARNING_PERCENT */
const warningPercent = 75;
/** CREDENTIAL_LIMIT_CRITICAL_PERCENT */
const criticalPercent = 90;

type Sample = Pick<UsageWindow, 'status' | 'utilizationPercent'>;

/** The level of a new sample. One that says nothing keeps the level before it. */
export function levelOf({ status, utilizationPercent }: Sample, before: LimitLevel = 'ok'): LimitLevel {
  const percent = utilizationPercent ?? 0;
  if (status === 'rejected') return 'rejected';
  if (percent >= criticalPercent) return 'critical';
  if (percent >= warningPercent || status === 'allowed_warning') return 'warning';
  return status === 'allowed' || utilizationPercent !== undefined ? 'ok' : before;
}

export const worstOf = (levels: readonly LimitLevel[]): LimitLevel =>
  levels.reduce<LimitLevel>(
    (worst, level) => (limitLevels.indexOf(level) > limitLevels.indexOf(worst) ? level : worst),
    'ok',
  );
