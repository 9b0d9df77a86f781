import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** A coin that falls the other way each time. */
const coin = join(process.env.PLANTED_FOLDER ?? '', `coin-${process.env.RING}`);

it('passes every second time', () => {
  const isHeads = existsSync(coin);
  writeFileSync(coin, '');

  expect(isHeads).toBe(true);
});
