import { expect, it } from 'vitest';
import { ReportedWindow } from '../../../../protocol/usage-windows.js';
import { claudeLimitsIn } from './claude-limits.js';

const now = new Date('2026-11-27T12:00:00.000Z');
const observedAt = now.toISOString();
const reset = (hours: number) => now.getTime() / 1_000 + hours * 3_600;
const at = (hours: number) => new Date(reset(hours) * 1_000).toISOString();
const event = (rate_limit_info: object, more: object = {}) => ({
  sessionId: 'one',
  message: { type: 'rate_limit_event', rate_limit_info, uuid: 'u', session_id: 's', ...more },
});
const common = { provider: 'anthropic', source: 'claude-acp.rate_limit', observedAt };

it('reads the window that an event is about, and the others that it states', () => {
  const windows = claudeLimitsIn(
    event({
      ...{
        status: 'allowed_warning',
        rateLimitType: 'seven_day_opus',
        utilization: 0.8,
        resetsAt: reset(90),
      },
      ...{ overageDisabledReason: 'out_of_credits', hasChargeableSavedPaymentMethod: true },
      unifiedWindows: {
        five_hour: { utilization: 0.125, resetsAt: reset(2), status: 'allowed', surpassedThreshold: 0.1 },
        seven_day: { utilization: 0.5, resetsAt: reset(90) },
        seven_day_overage_included: { utilization: 0.9, resetsAt: reset(90), status: 'rejected' },
      },
    }),
    now,
  );

  expect(windows).toEqual([
    {
      ...{ ...common, windowType: 'claude.five_hour', status: 'allowed', utilizationPercent: 12.5 },
      ...{ windowMinutes: 300, resetsAt: at(2) },
    },
    {
      ...{ ...common, windowType: 'claude.seven_day', status: 'unknown', utilizationPercent: 50 },
      ...{ windowMinutes: 10_080, resetsAt: at(90) },
    },
    {
      ...{
        ...common,
        windowType: 'claude.seven_day_opus',
        status: 'allowed_warning',
        utilizationPercent: 80,
      },
      ...{ windowMinutes: 10_080, resetsAt: at(90) },
    },
  ]);
  for (const window of windows) expect(ReportedWindow.parse(window)).toEqual(window);
});

it('reads the message that Claude Code 0.100.0 sends', () => {
  const sent = {
    status: 'allowed_warning',
    ...{ resetsAt: reset(2), rateLimitType: 'five_hour', utilization: 0.92, isUsingOverage: false },
    surpassedThreshold: 0.9,
    unifiedWindows: {
      five_hour: {
        utilization: 0.92,
        resetsAt: reset(2),
        status: 'allowed_warning',
        surpassedThreshold: 0.9,
      },
      seven_day: { utilization: 0.4, resetsAt: reset(90), status: 'allowed' },
    },
  };

  expect(
    claudeLimitsIn(event(sent), now).map((one) => [one.windowType, one.status, one.utilizationPercent]),
  ).toEqual([
    ['claude.five_hour', 'allowed_warning', 92],
    ['claude.seven_day', 'allowed', 40],
  ]);
});

it('reads a rejection without figures', () => {
  expect(claudeLimitsIn(event({ status: 'rejected', rateLimitType: 'five_hour' }), now)).toEqual([
    { ...common, windowType: 'claude.five_hour', status: 'rejected', windowMinutes: 300 },
  ]);
});

it.each([
  ['another message', { sessionId: 'one', message: { type: 'assistant', rate_limit_info: {} } }],
  ['nothing', undefined],
  ['an unknown status', event({ status: 'fine', rateLimitType: 'five_hour' })],
  ['an unknown window', event({ status: 'allowed', rateLimitType: 'toString' })],
  ['no window', event({ status: 'allowed' })],
  [
    'more than an event has',
    event({ status: 'allowed', rateLimitType: 'five_hour' }, { more: 'x'.repeat(9_000) }),
  ],
])('reads nothing in %s', (_, params) => {
  expect(claudeLimitsIn(params, now)).toEqual([]);
});
