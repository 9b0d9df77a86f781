import { createHash } from 'node:crypto';
import { afterAll, expect } from 'vitest';
import { BusyTable } from './busy-table.js';

/** Calls of 100 that are refused. */
const refusedPercent = 5;

/** Before each file: a table that refuses calls, by a seed that is the file's name. */
const { testPath = '' } = expect.getState();
const seed = createHash('sha256').update(testPath.slice(process.cwd().length)).digest().readUInt32LE();
const busyTable = await BusyTable.start(process.env.AWS_ENDPOINT_URL ?? '', { seed, refusedPercent });
process.env.AWS_ENDPOINT_URL_DYNAMODB = busyTable.url;

afterAll(() => {
  // Otherwise the clients go past it, and the file tests nothing of it.
  expect(busyTable.calls).toBeGreaterThan(0);
  busyTable[Symbol.dispose]();
});
