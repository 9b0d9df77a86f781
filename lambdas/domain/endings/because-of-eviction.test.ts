import { describe, expect, it } from 'vitest';
import { becauseOfEviction } from './because-of-eviction.js';

const now = new Date('2026-11-26T10:00:00.000Z');
const gib = 2 ** 30;

describe('becauseOfEviction', () => {
  it('says what a container used and may use, and its largest process', () => {
    const cause = {
      usedBytes: 4 * gib,
      limitBytes: 4 * gib,
      largestProcess: { name: 'node', bytes: 3.1 * gib },
    };

    const because = becauseOfEviction({ reason: 'oom_kill', cause }, now);

    expect(because.text).toBe(
      'It ran out of memory at 4.0 of 4.0 GiB; largest process: node 3.1 GiB. Its work is in a snapshot; a message or a restart continues it.',
    );
    expect(because).toMatchObject({ kind: 'evicted_oom', at: now.toISOString(), ...cause });
  });

  it('says that the disk was full', () => {
    const cause = { shortOf: 'disk', usedBytes: gib } as const;
    const because = becauseOfEviction({ reason: 'memory_pressure', cause }, now);

    expect(because.text).toMatch(/^Its node was short of disk space and stopped it\. /);
    expect(because).toMatchObject({ kind: 'evicted_memory', usedBytes: gib });
    expect(because).not.toHaveProperty('shortOf');
  });

  it('does without numbers that the node did not measure', () => {
    const without = becauseOfEviction({ reason: 'memory_pressure' }, now);
    const used = becauseOfEviction({ reason: 'memory_pressure', cause: { usedBytes: gib } }, now);

    expect(without.text).toMatch(/^Its node was short of memory and stopped it\. /);
    expect(used.text).toMatch(/^Its node was short of memory and stopped it at 1\.0 GiB\. /);
  });
});
