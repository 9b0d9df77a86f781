import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { baseImage, docker, hasDocker } from '../../integration/agent/docker-engine.js';
import { isLongRun } from '../run-length.js';
import { corpus } from './corpus.js';
import { HostileNode, searchFor } from './hostile-node.js';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });
const attacks = corpus.filter(({ isGrave }) => isGrave || isLongRun);

/** Built by the classic builder. hostile-repositories-buildkit.test.ts builds with BuildKit. */
describe.skipIf(!hasDocker())('a hostile repository (with a Docker engine and the base image)', () => {
  const ids = new Map<string, string>();
  let node: HostileNode;

  beforeAll(async () => {
    node = await HostileNode.start(baseImage);
    for (const { name, files } of attacks) ids.set(name, await node.create(files(node.target)));
  });

  afterAll(() => node[Symbol.asyncDispose]());

  it.each(attacks)('$name', async ({ name, change, outcome, reason }) => {
    const { canaries, target } = node;
    const id = ids.get(name) ?? '';
    const inContainer = (script: string) => docker('exec', `svc-ws-${id}`, 'sh', '-c', script);
    const first = await node.untilOutcome(id, 1);
    if (change) {
      expect(first, node.bootLog(id)).toBe('running');
      inContainer(change(target));
      await node.rebuild(id);
    }

    const last = change ? await node.untilOutcome(id, 2) : first;
    const log = node.bootLog(id);
    expect(canaries.changes()).toEqual([]);
    expect(inContainer(searchFor(canaries.secret))).toBe('');
    expect(log).not.toContain(canaries.secret);
    expect(last, log).toBe(outcome);
    if (reason) expect(log).toMatch(reason);
  });
});
