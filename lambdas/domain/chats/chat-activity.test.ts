import { describe, expect, it } from 'vitest';
import { AgentActivity } from '../../../protocol/agent-callbacks.js';
import type { ChatActivity } from './chat.js';
import { activityAfter } from './chat-activity.js';

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 23, 12, 0, seconds));
const iso = (seconds: number) => at(seconds).toISOString();

function reported(...reports: readonly (readonly [seconds: number, report: Partial<AgentActivity>])[]) {
  return reports.reduce<ChatActivity | null>((activity, [seconds, report]) => {
    const whole = AgentActivity.parse({ activity: 'idle', restartCount: 0, ...report });
    return activityAfter({ activity }, whole, at(seconds)) ?? activity;
  }, null);
}

describe('the activity of an agent', () => {
  it('began with its first report, whatever is repeated', () => {
    expect(reported([0, {}], [60, {}])).toMatchObject({ since: iso(0), activityAt: iso(60) });
  });

  it('begins again with another activity', () => {
    const activity = reported([0, {}], [10, { activity: 'prompting', promptStartedAt: 1 }], [20, {}]);

    expect(activity).toMatchObject({ activity: 'idle', since: iso(20) });
  });
});

describe('background work', () => {
  const work = { runtimeWorkState: 'active', runtimeWorkCount: 2, runtimeWorkSource: 'claude' } as const;

  it('is stored with its last sign of progress', () => {
    const activity = reported([60, { ...work, runtimeWorkProgressAt: at(50).getTime() }]);

    expect(activity?.work).toEqual({ state: 'active', count: 2, source: 'claude', progressAt: iso(50) });
  });

  it('has the time of the report when the clock of the node is ahead, or names none', () => {
    const ahead = { ...work, runtimeWorkProgressAt: at(3_600).getTime() };

    expect(reported([60, ahead])?.work?.progressAt).toBe(iso(60));
    expect(reported([60, work])?.work?.progressAt).toBe(iso(60));
  });

  it('ends with a report that does not name it', () => {
    expect(reported([0, work], [60, {}])?.work).toBeUndefined();
    expect(reported([0, work], [60, { runtimeWorkState: 'inactive' }])?.work).toBeUndefined();
  });
});
