import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ResourceSpool } from './resource-spool.js';

const a = '01JZZZZZZZZZZZZZZZZZZZZZZA';
const b = '01JZZZZZZZZZZZZZZZZZZZZZZB';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spool-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const spoolOf = (maxBytes = 1_000) => new ResourceSpool(folder, maxBytes);
const modeOf = (path: string) => statSync(path).mode & 0o777;

it('keeps chunks in order with their bytes until they are removed, across a restart', async () => {
  await spoolOf().publish(a, 100, (sequence) => `first ${sequence}`);
  await spoolOf().publish(a, 200, (sequence) => `second ${sequence}`);

  expect(await spoolOf().list(a)).toEqual([100, 200]);
  expect(await spoolOf().read({ workspaceId: a, sequence: 200 })).toBe('second 200');

  await spoolOf().remove({ workspaceId: a, sequence: 100 });
  expect(await spoolOf().list(a)).toEqual([200]);
  expect(await spoolOf().read({ workspaceId: a, sequence: 100 })).toBeNull();
});

it('uses no sequence twice when the clock goes back after the chunk was uploaded', async () => {
  await spoolOf().publish(a, 500, () => 'x');
  await spoolOf().remove({ workspaceId: a, sequence: 500 });

  expect(await spoolOf().publish(a, 100, () => 'y')).toBe(501);
  expect(await spoolOf().publish(a, 100, () => 'z')).toBe(502);
});

it('continues after the highest chunk when the stored sequence is damaged', async () => {
  await spoolOf().publish(a, 500, () => 'x');
  writeFileSync(join(folder, a, '.sequence'), 'damaged');

  expect(await spoolOf().publish(a, 100, () => 'y')).toBe(501);
});

it('lets only its owner read the chunks', async () => {
  await spoolOf().publish(a, 100, () => 'x');

  expect(modeOf(join(folder, a))).toBe(0o700);
  expect(readdirSync(join(folder, a)).map((name) => modeOf(join(folder, a, name)))).toEqual([0o600, 0o600]);
});

it('drops and counts the oldest chunks of the node when it is full', async () => {
  const spool = spoolOf(10);
  await spool.publish(a, 100, () => 'aaaa');
  await spool.publish(b, 200, () => 'bbbb');

  await spool.publish(b, 300, () => 'cccccc');

  expect(await spool.list(a)).toEqual([]);
  expect(await spool.list(b)).toEqual([200, 300]);
  expect(spool.dropped).toBe(1);
});

it('drops a chunk that alone exceeds the limit, and keeps the others', async () => {
  const spool = spoolOf(10);
  await spool.publish(a, 100, () => 'aaaa');

  expect(await spool.publish(a, 200, () => 'a'.repeat(11))).toBeNull();

  expect(await spool.list(a)).toEqual([100]);
  expect(spool.dropped).toBe(1);
});

it('gives chunks that are published at once different sequences', async () => {
  const spool = spoolOf();

  const sequences = await Promise.all([1, 2, 3].map(() => spool.publish(a, 100, () => 'x')));

  expect(sequences).toEqual([100, 101, 102]);
});

it('lists nothing of a workspace without chunks, and refuses an id that is none', async () => {
  expect(await spoolOf().list(a)).toEqual([]);
  await expect(spoolOf().publish('../x', 1, () => 'x')).rejects.toThrow('Not the id of a workspace');
});
