import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openDatabase } from '../store/database.js';
import { type Receipt, ReceiptStore } from './receipt-store.js';

const key = { workspaceId: '01K0000000000000000000000W', sessionId: 'one', deliveryId: 'd-1' };
const delivery = { ...key, protocolVersion: 1, requestHash: 'h-1' };

function open(runtime = 'runtime-1', path = join(mkdtempSync(join(tmpdir(), 'receipts-')), 'state.db')) {
  const database = openDatabase(path);
  return { path, database, store: new ReceiptStore(database, runtime, () => 1_000) };
}

it('claims a delivery once, whether it was refused before or not', () => {
  const { store } = open();
  store.refuse(delivery);
  expect(store.find(key)).toMatchObject({ state: 'accepted', completedAt: null });

  expect(store.claim(delivery)).toBe(true);
  expect(store.claim(delivery)).toBe(false);
  store.refuse(delivery);
  expect(store.find(key)).toMatchObject({ state: 'in_flight', runtimeIdentity: 'runtime-1' });
});

it('does not claim a delivery whose request has changed', () => {
  const { store } = open();
  store.refuse(delivery);

  expect(store.claim({ ...delivery, requestHash: 'h-2' })).toBe(false);
  expect(store.find(key)).toMatchObject({ state: 'accepted', requestHash: 'h-1' });
});

it('marks receipts that another run left in flight ambiguous, at a read and at the start', () => {
  const { path, database, store } = open();
  store.claim(delivery);
  store.claim({ ...delivery, deliveryId: 'd-2' });
  database.close();

  const next = open('runtime-2', path).store;
  expect(next.find(key)).toMatchObject({
    state: 'ambiguous',
    runtimeIdentity: 'runtime-1',
    errorCode: 'runtime_changed_after_invocation_claim',
    completedAt: null,
  });
  expect(next.interruptOtherRuns()).toBe(1);
  expect(next.complete({ ...key, deliveryId: 'd-2' }, { stopReason: 'end_turn', errorCode: null })).toBe(
    false,
  );
  expect(next.find({ ...key, deliveryId: 'd-2' })?.state).toBe('ambiguous');
});

it('removes the receipts of one workspace, and no others', () => {
  const { store } = open();
  store.claim(delivery);
  store.claim({ ...delivery, workspaceId: 'other' });

  store.removeWorkspace(key.workspaceId);

  expect(store.find(key)).toBeNull();
  expect(store.find({ ...key, workspaceId: 'other' })).not.toBeNull();
});

type Step = 'refuse' | 'claim' | 'complete' | 'markAmbiguous' | 'restart' | 'look';
type State = Receipt['state'] | 'none';

/** The table of docs/agent-sessions.md; `isOwn` is false after a restart of the agent. */
function expected(state: State, step: Step, isOwn: boolean): State {
  if (state === 'in_flight' && !isOwn) return step === 'restart' || step === 'look' ? 'ambiguous' : state;
  if (step === 'refuse') return state === 'none' ? 'accepted' : state;
  if (step === 'claim') return state === 'none' || state === 'accepted' ? 'in_flight' : state;
  if (state !== 'in_flight') return state;
  if (step === 'complete') return 'completed';
  return step === 'markAmbiguous' ? 'ambiguous' : state;
}

it('follows the state table over restarts, in any order of events', () => {
  const steps = fc.array(
    fc.constantFrom<Step>('refuse', 'claim', 'complete', 'markAmbiguous', 'restart', 'look'),
    {
      maxLength: 12,
    },
  );
  const database = openDatabase(join(mkdtempSync(join(tmpdir(), 'receipts-')), 'state.db'));
  let run = 0;

  fc.assert(
    fc.property(steps, (list) => {
      const one = { ...delivery, deliveryId: `run-${run++}` };
      let runtime = 0;
      let claimedBy = -1;
      let model: State = 'none';
      let store = new ReceiptStore(database, `${one.deliveryId}-0`, () => 1);
      const raw = () =>
        database.prepare('SELECT state FROM prompt_receipts WHERE delivery_id = ?').get(one.deliveryId)
          ?.state ?? 'none';
      for (const step of list) {
        if (step === 'restart') {
          runtime += 1;
          store = new ReceiptStore(database, `${one.deliveryId}-${runtime}`, () => 1);
          store.interruptOtherRuns();
        } else if (step === 'look') store.find(one);
        else if (step === 'refuse') store.refuse(one);
        else if (step === 'claim') store.claim(one);
        else store[step](one, { stopReason: 'end_turn', errorCode: 'none' });
        const before = model;
        model = expected(model, step, claimedBy === runtime);
        if (before !== 'in_flight' && model === 'in_flight') claimedBy = runtime;
        expect(raw()).toBe(model);
      }
    }),
    { numRuns: 60 },
  );
});
