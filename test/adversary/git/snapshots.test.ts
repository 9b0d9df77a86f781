import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { captureInto, restoreFrom } from '../../integration/snapshots/capture-and-restore.js';
import { LocalWorkspace } from '../../integration/snapshots/local-workspace.js';
import { ObjectStore } from '../../integration/snapshots/object-store.js';
import { hostileRepositories, setupOf } from './hostile-settings.js';

let store: ObjectStore;
beforeAll(async () => {
  store = await ObjectStore.start();
});
afterAll(() => store[Symbol.asyncDispose]());

// A repository without its own .git folder is not captured.
const captured = hostileRepositories.slice(0, 1);

it.each(captured)('captures and restores without a program for $title', async ({ setup, ...repository }) => {
  const seed = new LocalWorkspace();
  mkdirSync(seed.workDir);
  seed.sh('git init -q -b main && echo hello >hello.txt && git add . && git commit -qm first');
  const origin = join(seed.folder, 'origin.git');
  seed.sh(`git clone -q --bare . ${origin}`);
  const machine = new LocalWorkspace();
  const canary = join(machine.folder, 'canary');
  const woken = new LocalWorkspace();
  machine.clone(origin);
  woken.clone(origin);
  for (const place of [machine, woken])
    place.sh(
      `export CANARY=${canary} REFUSING=x\n(${setupOf({ setup, ...repository })}) >/dev/null 2>&1; true`,
    );
  machine.sh(`rm -f ${canary}/*`);

  const { manifest } = await captureInto(store, machine);
  await restoreFrom(store, woken, manifest);

  expect(existsSync(canary)).toBe(true);
  expect(readdirSync(canary)).toEqual([]);
});
