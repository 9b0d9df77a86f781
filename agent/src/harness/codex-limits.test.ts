import { expect, it } from 'vitest';
import { ReportedWindow } from '../../../protocol/usage-windows.js';
import { codexLimitsIn } from './codex-limits.js';

const timestamp = '2026-11-27T12:00:00.000Z';
const seconds = Date.parse(timestamp) / 1_000;
const line = (rate_limits: unknown, more: object = {}) =>
  JSON.stringify({
    ...{ timestamp, type: 'event_msg', ...more },
    payload: { type: 'token_count', info: null, rate_limits },
  });
const common = { provider: 'openai', source: 'vm-agent.acp_usage_update', observedAt: timestamp };

it('reads both windows of the plan', () => {
  const windows = codexLimitsIn(
    line({
      ...{ limit_id: 'codex', plan_type: 'plus', credits: { balance: '12' } },
      primary: { used_percent: 100, window_minutes: 300, resets_at: seconds + 60 },
      secondary: { used_percent: 12.5, window_minutes: 10_080, resets_in_seconds: 3_600 },
    }),
  );

  expect(windows).toEqual([
    {
      ...{ ...common, windowType: 'codex.primary', status: 'rejected', utilizationPercent: 100 },
      ...{ windowMinutes: 300, resetsAt: '2026-11-27T12:01:00.000Z' },
    },
    {
      ...{ ...common, windowType: 'codex.secondary', status: 'allowed', utilizationPercent: 12.5 },
      ...{ windowMinutes: 10_080, resetsAt: '2026-11-27T13:00:00.000Z' },
    },
  ]);
  for (const window of windows) expect(ReportedWindow.parse(window)).toEqual(window);
});

it('leaves out a reset that the control plane refuses, as of a monthly window', () => {
  const primary = { used_percent: 80, window_minutes: 43_200, resets_at: seconds + 30 * 24 * 60 * 60 };
  const secondary = { used_percent: 1, resets_at: seconds + 7 * 24 * 60 * 60 };
  const windows = codexLimitsIn(line({ primary, secondary }));

  expect(windows).toMatchObject([
    { utilizationPercent: 80, windowMinutes: 43_200 },
    { utilizationPercent: 1 },
  ]);
  expect(windows.map(({ resetsAt }) => resetsAt)).toEqual([undefined, '2026-12-04T12:00:00.000Z']);
});

it.each([
  ['the end of a longer line', line({ primary: { used_percent: 1 } }).slice(9)],
  ['nothing', ''],
  ['a plan without limits', line({ primary: null, secondary: null })],
  [
    'figures that are no numbers',
    line({ primary: { used_percent: 'many' }, secondary: { used_percent: -1 } }),
  ],
  ['the limits of one model', line({ limit_id: 'codex_mini', primary: { used_percent: 1 } })],
  ['a time that is none', line({ primary: { used_percent: 1 } }, { timestamp: 'soon' })],
])('reads nothing in %s', (_, text) => {
  expect(codexLimitsIn(text)).toEqual([]);
});
