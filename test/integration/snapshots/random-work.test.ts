import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Random } from '../../nemesis/agent/random.js';
import { randomWork, stateScript } from '../../nemesis/sleep/random-work.js';
import { captureInto, restoreFrom } from './capture-and-restore.js';
import { LocalWorkspace } from './local-workspace.js';
import { ObjectStore } from './object-store.js';

function makeOrigin(): string {
  const seed = new LocalWorkspace();
  const origin = join(seed.folder, 'origin.git');
  mkdirSync(seed.workDir);
  seed.sh(`git init -q -b main && echo hello > hello.sh && echo read > README.md && git add .
    git commit -qm first && git clone -q --bare . ${origin}`);
  return origin;
}

function stateOf(machine: LocalWorkspace): string {
  const path = join(machine.folder, 'state.txt');
  machine.sh(`set -- ${path}\n${stateScript}`);
  return readFileSync(path, 'utf8');
}

it.each([1, 2, 3, 5])('restores the random work of seed %i byte by byte', async (number) => {
  await using store = await ObjectStore.start();
  const origin = makeOrigin();
  const [old, next] = [new LocalWorkspace(), new LocalWorkspace()];
  old.clone(origin);
  const random = new Random(number);
  old.sh(randomWork(random, `first-${number}`));
  old.sh(randomWork(random, `second-${number}`));
  const before = stateOf(old);
  const { manifest } = await captureInto(store, old);
  next.clone(origin);
  const { missing } = await restoreFrom(store, next, manifest);
  expect(before).toContain('first');
  expect({ missing, state: stateOf(next) }).toEqual({ missing: [], state: before });
});
