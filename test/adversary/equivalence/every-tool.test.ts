import { beforeAll, describe, expect, it } from 'vitest';
import { tools } from '../../../lambdas/domain/mcp/tools.js';
import { type Action, actions } from '../../../lambdas/domain/policy/actions.js';
import { demote, endings, type Stranger, strangers, subjectOf } from './situations.js';
import { requests, type Subject, type ToolRow, toolRows } from './tool-rows.js';
import { TwoMembers } from './two-members.js';

// In every wrong situation each tool refuses what its equivalent HTTP routes refuse.

let loaded: TwoMembers;
let two: TwoMembers;

beforeAll(async () => {
  loaded = await TwoMembers.load(Object.keys(requests));
});

const equalsOf = (name: string): readonly Action[] => {
  const policy = tools.find((one) => one.name === name)?.policy;
  return policy?.equals === 'none' || !policy ? [] : policy.equals;
};

const routesOf = (name: string): readonly string[] =>
  equalsOf(name).flatMap((action) => actions[action].routes.filter((file) => requests[file]));

const rowOf = (name: string): ToolRow => {
  const row = toolRows[name];
  if (!row) throw new Error(`Write a row for ${name} in tool-rows.ts`);
  return row;
};

/** By policy, and not because the record is in another state. */
const refusals = [401, 403, 404];

async function callHttp(file: string, subject: Subject): Promise<number> {
  const { status } = await two.http(two.bob, file, requests[file]?.(subject));
  expect(status, `${file} answered ${status}`).not.toBe(400);
  expect(status, `${file} answered ${status}`).toBeLessThan(500);
  return status;
}

/** A token that ended is answered 401 and no result: also refused. */
async function isRefused(name: string, args: object): Promise<boolean> {
  const reply = await two.send(two.bob, name, args);
  if (reply.status === 401) return true;
  expect(reply.status).toBe(200);
  expect(reply.error, `${name}: ${JSON.stringify(reply.error)}`).toBeUndefined();
  return reply.isError;
}

const recordsOf = (subjects: readonly Subject[]) =>
  two.records(
    ...new Set([
      `PROJECT#${two.project.projectId}`,
      ...subjects.flatMap(({ taskId, sessionId }) => [`CHAT#${sessionId}`, `TASK#${taskId}`]),
    ]),
  );

interface Prepared {
  readonly name: string;
  readonly subject: Subject;
  readonly args: object;
}

/** A good call of each tool, made ready while the caller still has every right. */
async function prepare(names: readonly string[], stranger?: Stranger): Promise<readonly Prepared[]> {
  two = await loaded.again();
  return Promise.all(
    names.map(async (name) => {
      const subject = await subjectOf(two, rowOf(name), stranger);
      return { name, subject, args: await rowOf(name).args(subject, two) };
    }),
  );
}

const all = tools.map(({ name }) => name);
const usable = all.filter((name) => !toolRows[name]?.isRefusedToAll);
const ofRecords = all.filter((name) => toolRows[name]?.about === 'record');

it('every tool has a row, and every row a tool', () => {
  expect(Object.keys(toolRows).toSorted()).toEqual(all.toSorted());
});

it.each(usable)('%s works for its own person, as its HTTP equivalents do', async (name) => {
  const row = rowOf(name);
  two = await loaded.again();
  for (const file of routesOf(name))
    expect(refusals, file).not.toContain(await callHttp(file, await subjectOf(two, row)));
  const [good] = await prepare([name]);

  expect(await isRefused(name, good?.args ?? {})).toBe(false);
});

it.each(usable)('%s counts against every limit of its HTTP equivalents, once', async (name) => {
  const row = rowOf(name);
  two = await loaded.again();
  const asked = new Map<string, number>();
  for (const file of routesOf(name)) {
    const subject = await subjectOf(two, row);
    const before = await two.counters(two.bob);
    await callHttp(file, subject);
    for (const [limit, count] of await two.counters(two.bob))
      asked.set(limit, Math.max(asked.get(limit) ?? 0, count - (before.get(limit) ?? 0)));
  }
  const [good] = await prepare([name]);

  await isRefused(name, good?.args ?? {});

  expect(await two.counters(two.bob)).toEqual(asked);
});

it.each(Object.keys(endings))('no tool works when %s', async (ending) => {
  const calls = await prepare(all);
  const subjects = calls.map(({ subject }) => subject);
  await endings[ending]?.(two);
  const before = await recordsOf(subjects);

  for (const { name, args } of calls) expect(await isRefused(name, args), name).toBe(true);

  expect(await recordsOf(subjects)).toEqual(before);
});

it('a viewer’s tools refuse what HTTP refuses the viewer, and change nothing', async () => {
  const calls = await prepare(all);
  const subjects = calls.map(({ subject }) => subject);
  await demote(two);
  const before = await recordsOf(subjects);

  for (const { name, subject, args } of calls) {
    const statuses = await Promise.all(routesOf(name).map((file) => callHttp(file, subject)));
    const isHttpRefused = statuses.some((status) => refusals.includes(status));
    const writes = equalsOf(name).length === 0;
    const isExpected = isHttpRefused || writes || rowOf(name).isRefusedToAll === true;
    expect(await isRefused(name, args), name).toBe(isExpected);
  }

  expect(await recordsOf(subjects)).toEqual(before);
});

describe.each(strangers)('a record %s', (stranger) => {
  it.each(ofRecords)('%s refuses it where HTTP does', async (name) => {
    const row = rowOf(name);
    const [call] = await prepare([name], stranger);
    if (!call) throw new Error('Nothing was prepared');
    const refused: string[] = [];
    for (const file of routesOf(name))
      if (refusals.includes(await callHttp(file, await subjectOf(two, row, stranger)))) refused.push(file);
    const before = await recordsOf([call.subject]);

    const isToolRefused = await isRefused(name, call.args);

    if (refused.length > 0) expect(isToolRefused, `HTTP refuses ${refused.join()}`).toBe(true);
    if (isToolRefused) expect(await recordsOf([call.subject])).toEqual(before);
  });
});
