import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOnce } from '../../../lambdas/domain/idempotency/create-once.js';
import { requestKey } from '../../../lambdas/domain/idempotency/request-key.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { type LoadedRoutes, loadRoutes } from '../../support/loaded-routes.js';
import { aProject, putItem } from '../../support/project.js';
import { memberOf } from '../../support/project-members.js';

let routes: LoadedRoutes;
let table: Table;

beforeAll(async () => {
  const areas = ['tasks', 'chats', 'profiles', 'skills'];
  routes = await loadRoutes(areas.flatMap((area) => [`${area}/create`, `${area}/list`]));
  ({ table } = routes);
});

describe('a record that is created once for a key', () => {
  let records: Map<string, string>;
  const userId = newId();
  let key: string;

  beforeEach(() => {
    records = new Map();
    key = newId();
  });

  /** `crash`: the process ends after the id is stored, and before the record is. */
  const request = (name: string, { crash = false } = {}) =>
    createOnce(table, {
      kind: 'task',
      userId,
      key: requestKey(key, { name }),
      newId,
      now: new Date(),
      find: async (id) => (records.has(id) ? { id } : undefined),
      create: async (id) => {
        if (crash) throw new Error('The process ended');
        // As a conditional write: the second one fails.
        if (records.has(id)) throw new Error('The record exists');
        records.set(id, name);
        return { id };
      },
    });

  it('is the same for each repeat', async () => {
    const first = await request('one');

    expect(await request('one')).toEqual(first);
    expect(records.size).toBe(1);
  });

  it('is created with the same id after a crash', async () => {
    await expect(request('one', { crash: true })).rejects.toThrow('The process ended');
    const created = await request('one');

    expect(await request('one')).toEqual(created);
    expect([...records.keys()]).toEqual([created.id]);
  });

  it('is one for repeats at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => request('one')));

    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(records.size).toBe(1);
  });

  it('is refused for another request with the same key', async () => {
    await request('one');

    await expect(request('two')).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    expect(records.size).toBe(1);
  });
});

describe.each([
  ['tasks', { title: 'Paint the gate' }, 'tasks'],
  ['chats', { topic: 'The gate' }, 'sessions'],
  ['profiles', { name: 'Painter' }, 'profiles'],
  ['skills', { name: 'Painting' }, 'skills'],
])('POST of %s with an Idempotency-Key', (area, body, list) => {
  it('creates one record for a key, and another one for another key', async () => {
    const project = aProject();
    await putItem(table, projectItem(project));
    const { cookies } = await memberOf(table, project, 'admin');
    const person = { cookies, params: { projectId: project.projectId } };
    const create = (key: string, more: object) =>
      routes.call(`${area}/create`, {
        ...person,
        body: { ...body, ...more },
        headers: { 'idempotency-key': key },
      });

    const [first, again] = [await create('k1', {}), await create('k1', {})];
    const reused = await create('k1', {
      [area === 'chats' ? 'topic' : (Object.keys(body)[0] ?? '')]: 'Other',
    });
    const other = await create('k2', { [Object.keys(body)[0] ?? '']: 'Other' });
    const wrong = await create('k\u00e9', {});

    expect([first.status, again.status, other.status]).toEqual([201, 201, 201]);
    expect(again.body).toEqual(first.body);
    expect(again.headers.location).toBe(first.headers.location);
    expect(reused).toMatchObject({ status: 409, body: { error: 'IDEMPOTENCY_KEY_REUSED' } });
    expect(wrong).toMatchObject({
      status: 400,
      body: { details: [{ field: 'header.idempotency-key' }] },
    });
    const { body: listed } = await routes.call(`${area}/list`, person);
    expect((listed as Record<string, readonly unknown[]>)[list]).toHaveLength(2);
  });
});
