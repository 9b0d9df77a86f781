import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deadlines, type End, ends, type LiveThing, liveThings } from './deadlines.js';
import { RevocationStage } from './revocation-stage.js';

// Each end of a right x each live thing: refused at its deadline; other rights keep working.

let stage: RevocationStage;

beforeAll(async () => {
  stage = await RevocationStage.start();
});

afterAll(() => stage[Symbol.asyncDispose]());

type Row = readonly [LiveThing, number | null];

const isOfSuperadmins = (thing: LiveThing) => thing === 'superadmin route';

/** A superadmin cannot be suspended, by a person or by the policy: only the setting ends that. */
const isPossible = (end: End, thing: LiveThing) =>
  !(isOfSuperadmins(thing) && (end === 'suspension' || end === 'loss by the sign-in policy'));

const rowsOf = (end: End): readonly Row[] =>
  liveThings.filter((thing) => isPossible(end, thing)).map((thing) => [thing, deadlines[end][thing]]);

/** Things that still work after the right ended. Those due at once are checked before sagas. */
async function lookAfter(end: End, rows: readonly Row[]): Promise<ReadonlyMap<LiveThing, boolean>> {
  const works = new Map<LiveThing, boolean>();
  const look = async (due: (seconds: number | null) => boolean) => {
    for (const [thing, seconds] of rows) if (due(seconds)) works.set(thing, await stage.works(thing));
  };
  await stage.reset({ isSuperadmin: rows.every(([thing]) => isOfSuperadmins(thing)) });
  await stage.end(end);
  await look((seconds) => seconds === 0);
  await stage.settle();
  await look((seconds) => seconds !== 0);
  return works;
}

describe.each(ends)('after %s', (end) => {
  const rows = rowsOf(end);
  let works: ReadonlyMap<LiveThing, boolean>;

  beforeAll(async () => {
    const [ofSuperadmins, others] = [true, false].map((wanted) =>
      rows.filter(([thing]) => isOfSuperadmins(thing) === wanted),
    );
    works = new Map([
      ...(await lookAfter(end, others ?? [])),
      ...(ofSuperadmins?.length ? await lookAfter(end, ofSuperadmins) : []),
    ]);
  });

  it.each(rows)('%s ends within %s s', (thing, seconds) => {
    expect(works.get(thing)).toBe(seconds === null);
  });
});

it('begins with things that all work', async () => {
  await stage.reset({ isSuperadmin: true });
  for (const thing of liveThings) expect([thing, await stage.works(thing)]).toEqual([thing, true]);
});
