import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ContentStore } from './content-store.js';

let parent: string;
let made: number;
beforeEach(() => {
  parent = join(mkdtempSync(join(tmpdir(), 'berth-store-')), 'parts');
  made = 0;
});
afterEach(() => rmSync(join(parent, '..'), { recursive: true }));

const make = async (folder: string) => {
  made += 1;
  await new Promise(setImmediate);
  writeFileSync(join(folder, 'file'), String(made));
};

it('makes a folder once for its key, also when it is asked for at the same time', async () => {
  const folders = await Promise.all([1, 2, 3].map(() => new ContentStore(parent).keep(() => 'key', make)));

  expect(new Set(folders)).toEqual(new Set([join(parent, 'key')]));
  expect(readFileSync(join(parent, 'key/file'), 'utf8')).toBe('1');
  expect(made).toBe(1);
  await new ContentStore(parent).keep(() => 'other', make);
  expect(made).toBe(2);
});

it('leaves nothing of a folder whose making failed', async () => {
  const failing = async (folder: string) => {
    await make(folder);
    throw new Error('failed');
  };

  await expect(new ContentStore(parent).keep(() => 'key', failing)).rejects.toThrow('failed');

  expect(readdirSync(parent)).toEqual([]);
});

it('leaves nothing when the sources change while they are built', async () => {
  const keyOf = () => (made === 0 ? 'before' : 'after');

  await expect(new ContentStore(parent).keep(keyOf, make)).rejects.toThrow('changed while');

  expect(readdirSync(parent)).toEqual([]);
});

it('removes what was not used for a day, but keeps the newest', async () => {
  const store = new ContentStore(parent);
  const longAgo = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000);
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) await store.keep(() => key, make);
  for (const key of ['a', 'b', 'c', 'd', 'e']) utimesSync(join(parent, key), longAgo, longAgo);
  await store.keep(() => 'a', make);

  await store.keep(() => 'g', make);

  expect(['a', 'f', 'g'].map((key) => existsSync(join(parent, key)))).toEqual([true, true, true]);
  expect(readdirSync(parent)).toHaveLength(5);
});
