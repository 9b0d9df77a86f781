import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { hasDocker } from '../../integration/agent/docker-engine.js';
import { restoreFrom } from '../../integration/snapshots/capture-and-restore.js';
import { ObjectStore } from '../../integration/snapshots/object-store.js';
import { isLongRun } from '../run-length.js';
import { craft } from './crafted-snapshot.js';
import {
  containerTarget,
  grants,
  prepare,
  type RestoreTarget,
  standaloneTarget,
  surroundings,
} from './restore-targets.js';
import { attacksOnPrograms, snapshotAttacks } from './snapshot-attacks.js';

vi.setConfig({ testTimeout: 60_000 });

const targets = [
  { title: 'processes of a user', open: standaloneTarget, isHere: true, attacks: snapshotAttacks },
  {
    ...{ title: 'a container', open: containerTarget, isHere: hasDocker() },
    attacks: isLongRun ? snapshotAttacks : attacksOnPrograms,
  },
];

/** A thief of the store, or of the token of a workspace, writes what no capture would. */
describe.each(targets.filter(({ isHere }) => isHere))(
  'a crafted snapshot restored in $title',
  ({ open, attacks }) => {
    const titled = attacks.map((attack) => [attack.name, attack] as const);
    let store: ObjectStore;
    let target: RestoreTarget;
    let commits: readonly string[];

    beforeAll(async () => {
      store = await ObjectStore.start();
      target = open();
    });
    beforeEach(() => {
      commits = prepare(target);
    });
    afterAll(async () => {
      await target[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    });

    it.each(titled)('%s', async (_, { crafted, limits, reason, restored = [] }) => {
      const { outside, sh } = target;
      const manifest = await craft(store, commits[0] ?? '', await crafted({ outside, commits, sh }));
      const before = surroundings(target);

      const { missing } = await restoreFrom(store, target.machine, manifest, limits);

      expect(surroundings(target)).toBe(before);
      expect(grants(target)).toBe('');
      const reasons = missing.map((part) => part.reason).join('\n');
      if (reason) expect(reasons).toMatch(reason);
      else expect(reasons).toBe('');
      for (const path of restored) sh(`test -e ${target.home}/${path}`);
      expect(Number(sh(`du -sm ${target.home} ${target.root} | sort -n | tail -1 | cut -f1`))).toBeLessThan(
        100,
      );
      expect(readdirSync(join(target.machine.folder, 'state'))).toEqual([]);
    });

    it('is refused when it is of another workspace', async () => {
      const change = (manifest: Parameters<typeof restoreFrom>[2]) => ({
        ...manifest,
        workspaceId: '01K0000000000000000000000X',
      });
      const manifest = await craft(store, commits[0] ?? '', { change });

      const restored = restoreFrom(store, target.machine, manifest);

      await expect(restored).rejects.toThrow('The snapshot is of another workspace');
    });

    it('starts one program for a settings file that it has many times', async () => {
      const open = vi.spyOn(target.machine.commands, 'open');
      const file = { path: '.claude.json', mode: '600', text: '{}' };
      const settings = Buffer.from(JSON.stringify(Array(100).fill(file)));
      const manifest = await craft(store, commits[0] ?? '', { sections: { 'home/home/settings': settings } });

      await restoreFrom(store, target.machine, manifest);

      const programs = open.mock.calls.length;
      open.mockRestore();
      expect(programs).toBeLessThan(20);
      target.sh(`test -e ${target.home}/.claude.json`);
    });
  },
);
