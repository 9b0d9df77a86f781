import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openDatabase } from '../store/database.js';
import { RolloverStore } from './rollover-store.js';

const key = { workspaceId: '01K0000000000000000000000W', sessionId: 'one', operationId: 'op-1' };
const rollover = { ...key, protocolVersion: 1, requestHash: 'h-1', acpSessionId: 'acp-1' };

function open(runtime = 'runtime-1', path = join(mkdtempSync(join(tmpdir(), 'rollovers-')), 'state.db')) {
  const database = openDatabase(path);
  return { path, database, store: new RolloverStore(database, runtime, () => new Date(0)) };
}

it('keeps the end of an operation', () => {
  const { store } = open();
  expect(store.submit(rollover)).toBe(true);
  expect(store.submit(rollover)).toBe(false);
  store.begin(key);
  store.finish(key, {
    state: 'failed',
    isForced: true,
    errorCode: 'strict_resume_failed',
    errorMessage: 'x',
  });

  expect(store.find(key)).toMatchObject({
    requestHash: 'h-1',
    operation: { state: 'failed', forced: true, errorCode: 'strict_resume_failed', acpSessionId: 'acp-1' },
  });
});

it.each([false, true])('fails a rollover of another run of the agent (in progress: %s)', (isBegun) => {
  const { path, database, store } = open();
  store.submit(rollover);
  if (isBegun) store.begin(key);
  database.close();

  const next = open('runtime-2', path).store;
  expect(next.find(key)?.operation).toMatchObject({ state: 'failed', errorCode: 'vm_runtime_interrupted' });
  expect(next.finish(key, { state: 'completed' })).toBe(false);
});

type Step = 'begin' | 'completed' | 'superseded' | 'failed' | 'restart';

it('follows the state table in any order of events', () => {
  const steps = fc.array(fc.constantFrom<Step>('begin', 'completed', 'superseded', 'failed', 'restart'), {
    maxLength: 8,
  });
  const database = openDatabase(join(mkdtempSync(join(tmpdir(), 'rollovers-')), 'state.db'));
  let run = 0;

  fc.assert(
    fc.property(steps, (list) => {
      const one = { ...rollover, operationId: `run-${run++}` };
      let store = new RolloverStore(database, `${one.operationId}-0`, () => new Date(0));
      let model = 'accepted';
      store.submit(one);
      for (const [index, step] of list.entries()) {
        const isOpen = model === 'accepted' || model === 'in_progress';
        if (step === 'begin') {
          expect(store.begin(one)).toBe(model === 'accepted');
          if (model === 'accepted') model = 'in_progress';
        } else if (step === 'restart') {
          store = new RolloverStore(database, `${one.operationId}-${index + 1}`, () => new Date(0));
          store.interruptOtherRuns();
          if (isOpen) model = 'failed';
        } else {
          expect(store.finish(one, { state: step })).toBe(isOpen);
          if (isOpen) model = step;
        }
        expect(store.find(one)?.operation.state).toBe(model);
      }
    }),
    { numRuns: 40 },
  );
});
