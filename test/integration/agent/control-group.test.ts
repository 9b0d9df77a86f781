import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlGroup, findControlGroup } from '../../../agent/src/resource-history/control-group.js';
import { baseImage, docker, hasDocker } from './docker-engine.js';

const limitBytes = 64 * 2 ** 20;

describe.skipIf(!hasDocker())('the control group of a real container', () => {
  let id: string;
  let group: ControlGroup;

  beforeAll(() => {
    id = docker(
      'run',
      '-d',
      '--init',
      '--network',
      'none',
      '--memory',
      String(limitBytes),
      baseImage,
      'sleep',
      '600',
    );
    const found = findControlGroup(id);
    if (found === null) throw new Error(`No control group of container ${id}`);
    group = found;
  });

  afterAll(() => {
    docker('rm', '-f', id);
  });

  it('reports memory within its limit, the processes and the CPU time of a command', () => {
    const before = group.read();
    docker('exec', id, 'sh', '-c', 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done');
    const after = group.read();

    expect(before).toMatchObject({ pidsCurrent: 2, oomKill: 0 });
    expect(after?.memoryWorkingSetBytes).toBeLessThanOrEqual(after?.memoryBytes ?? 0);
    expect(after?.memoryPeakBytes).toBeGreaterThanOrEqual(after?.memoryBytes ?? limitBytes);
    expect(after?.memoryBytes).toBeLessThanOrEqual(limitBytes);
    expect(after?.cpuMillis).toBeGreaterThan((before?.cpuMillis ?? 0) + 20);
  });

  it('counts a process that the kernel kills at the memory limit', () => {
    docker('exec', id, 'sh', '-c', 'tail /dev/zero');

    const figures = group.read();

    expect(figures?.oomKill).toBe(1);
    expect(figures?.memoryPeakBytes).toBeGreaterThan(0.9 * limitBytes);
    expect(figures?.pidsCurrent).toBe(2);
  });

  it('ends with the container', () => {
    docker('rm', '-f', id);

    expect(group.read()).toBeNull();
    expect(findControlGroup(id)).toBeNull();
  });
});
