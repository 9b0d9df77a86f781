import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  ProfileOrSkill,
  profileKey,
  variableContext,
} from '../../../lambdas/domain/profiles/profile-or-skill.js';
import type { MemberRole } from '../../../lambdas/domain/projects/member.js';
import { type Project, projectItem, projectKey } from '../../../lambdas/domain/projects/project.js';
import type { SecretBox } from '../../../lambdas/domain/secrets/sealed-secret.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import type { TestRequest } from '../../support/invoke.js';
import { type LoadedRoutes, loadRoutes } from '../../support/loaded-routes.js';
import { aProject, putItem } from '../../support/project.js';
import { memberOf } from '../../support/project-members.js';
import { signIn } from '../../support/sign-in.js';

const kinds = [
  { area: 'profiles', kind: 'profile', param: 'profileId', word: 'PROFILE' },
  { area: 'skills', kind: 'skill', param: 'skillId', word: 'SKILL' },
] as const;
const actions = ['create', 'list', 'get', 'change', 'remove'] as const;

let routes: LoadedRoutes;
let table: Table;
let secrets: SecretBox;

beforeAll(async () => {
  routes = await loadRoutes([
    ...kinds.flatMap(({ area }) => actions.map((action) => `${area}/${action}`)),
    ...['settings/agents', 'settings/store-agents'],
  ]);
  ({ table } = routes);
  ({ secretBox: secrets } = await import('../../../lambdas/edge/secret-box.js'));
});

async function call(file: string, request: TestRequest) {
  const reply = await routes.call(file, request);
  // What a profile shows is checked where it is asked for.
  return { ...reply, body: reply.body as { readonly id: string; readonly environment: readonly unknown[] } };
}

const as = async (role: MemberRole, project: Project) => ({
  cookies: (await memberOf(table, project, role)).cookies,
  params: { projectId: project.projectId },
});

describe.each(kinds)('$area', ({ area, kind, param, word }) => {
  let project: Project;
  let admin: Awaited<ReturnType<typeof as>>;
  const one = (id: string) => ({ ...admin, params: { ...admin.params, [param]: id } });
  const create = (body: object) => call(`${area}/create`, { ...admin, body });

  beforeEach(async () => {
    project = aProject();
    await putItem(table, projectItem(project));
    admin = await as('admin', project);
  });

  it('are made, read, changed and deleted', async () => {
    const made = await create({ name: 'Careful', model: 'opus', effort: 'high' });
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'Careful', model: 'opus', taskMode: null, version: 1 },
    });
    const { id } = made.body;
    expect((await call(`${area}/get`, one(id))).body).toEqual(made.body);

    const changed = await call(`${area}/change`, {
      ...one(id),
      body: { name: 'Brave', model: null, permissionMode: 'plan', version: 1 },
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { name: 'Brave', model: null, effort: 'high', permissionMode: 'plan', version: 2 },
    });
    expect((await call(`${area}/list`, admin)).body).toEqual({ [area]: [changed.body], nextCursor: null });

    expect(await call(`${area}/remove`, one(id))).toMatchObject({ status: 200 });
    expect(await call(`${area}/get`, one(id))).toMatchObject({ status: 404 });
    expect((await call(`${area}/list`, admin)).body).toEqual({ [area]: [], nextCursor: null });
  });

  it('keep values of variables sealed, each for its own name', async () => {
    const made = await create({ name: 'With secrets', environment: { TOKEN: 'geheim-1', PLAIN: '' } });
    const { id } = made.body;
    const changed = await call(`${area}/change`, {
      ...one(id),
      body: { environment: { PLAIN: null, OTHER: 'geheim-2' } },
    });

    expect(changed.body).toMatchObject({ environment: [{ name: 'OTHER' }, { name: 'TOKEN' }] });
    const { Item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key: profileKey(kind, project.projectId, id) }),
    );
    expect(JSON.stringify([made, changed, Item])).not.toContain('geheim');
    const profile = ProfileOrSkill.parse(Item);
    const { TOKEN } = profile.environment;
    if (!TOKEN) throw new Error('It is not there');
    expect(await secrets.open(TOKEN, variableContext(profile, 'TOKEN'))).toBe('geheim-1');
    await expect(secrets.open(TOKEN, variableContext(profile, 'OTHER'))).rejects.toThrow();
    expect((await call(`${area}/change`, { ...one(id), body: { environment: null } })).body).toMatchObject({
      environment: [],
    });
  });

  it('take demands of the machine as an object or as text, and clear them by null', async () => {
    const made = await create({
      name: 'Big',
      resourceRequirementsJson: '{"minVcpu":8,"exclusiveNode":false}',
    });
    const { id } = made.body;
    const change = (body: object) => call(`${area}/change`, { ...one(id), body });

    expect(made.body).toMatchObject({ resourceRequirementsJson: '{"minVcpu":8,"exclusiveNode":false}' });
    expect((await change({ effort: 'low' })).body).toMatchObject({
      resourceRequirementsJson: '{"minVcpu":8,"exclusiveNode":false}',
    });
    expect((await change({ resourceRequirementsJson: { minMemoryGb: null } })).body).toMatchObject({
      resourceRequirementsJson: '{"minMemoryGb":null}',
    });
    expect((await change({ resourceRequirementsJson: null })).body).toMatchObject({
      resourceRequirementsJson: null,
    });
  });

  it.each([
    { field: 'body.resourceRequirementsJson.minVcpu', wrong: { resourceRequirementsJson: { minVcpu: -1 } } },
    { field: 'body.resourceRequirementsJson', wrong: { resourceRequirementsJson: '{"minVcpu":' } },
    { field: 'body.resourceRequirementsJson.gpu', wrong: { resourceRequirementsJson: { gpu: 1 } } },
    { field: 'body.environment.1X', wrong: { environment: { '1X': 'a' } } },
    { field: 'body.environment.X', wrong: { environment: { X: 'ü'.repeat(2_049) } } },
    { field: 'body.agentType', wrong: { agentType: 'cat' } },
    { field: 'body.systemPromptAppend', wrong: { systemPromptAppend: 'x'.repeat(16_001) } },
    { field: 'body.name', wrong: { name: 'ﷺ'.repeat(100) } },
  ])('refuse what is wrong in $field', async ({ field, wrong }) => {
    expect(await create({ name: 'Wrong', ...wrong })).toMatchObject({
      status: 400,
      body: { details: [expect.objectContaining({ field })] },
    });
  });

  it('refuse variables that redirect or take over an agent, and change nothing', async () => {
    const { id } = (await create({ name: 'Careful', environment: { TOKEN: 'a' } })).body;
    const change = (environment: object) => call(`${area}/change`, { ...one(id), body: { environment } });

    for (const name of ['ANTHROPIC_BASE_URL', 'LD_PRELOAD', 'https_proxy']) {
      const refusal = {
        status: 400,
        body: {
          error: 'VARIABLE_NOT_ALLOWED',
          message: expect.stringContaining(`${name} cannot be set by a profile or skill: the variable `),
          details: [{ field: `body.environment.${name}` }],
        },
      };
      expect(await create({ name: 'Hostile', environment: { [name]: 'x' } })).toMatchObject(refusal);
      expect(await change({ OTHER: 'b', [name]: 'x' })).toMatchObject(refusal);
    }
    expect((await call(`${area}/get`, one(id))).body).toMatchObject({
      version: 1,
      environment: [{ name: 'TOKEN' }],
    });
    expect((await change({ LD_PRELOAD: null })).status).toBe(200);
  });

  it('have at most 32 variables', async () => {
    const many = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`V${from + at}`, 'x']));
    const { body } = await create({ name: 'Many', environment: many(0, 32) });
    const id = body.id;

    expect(await call(`${area}/change`, { ...one(id), body: { environment: many(32, 1) } })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'body.environment' }] },
    });
    expect(
      await call(`${area}/change`, { ...one(id), body: { environment: { ...many(32, 1), V0: null } } }),
    ).toMatchObject({ status: 200 });
  });

  it('have names of their own, which become free again', async () => {
    const first = await create({ name: 'Careful' });
    const second = await create({ name: 'Brave' });
    const id = second.body.id;
    const taken = {
      status: 409,
      body: { error: `${word}_NAME_TAKEN`, details: [{ field: 'body.name', existingId: first.body.id }] },
    };

    expect(await create({ name: ' careful ' })).toMatchObject(taken);
    expect(await call(`${area}/change`, { ...one(id), body: { name: 'CAREFUL' } })).toMatchObject(taken);
    expect(await call(`${area}/change`, { ...one(id), body: { name: 'BRAVE' } })).toMatchObject({
      status: 200,
    });
    await call(`${area}/remove`, one(first.body.id));
    expect(await call(`${area}/change`, { ...one(id), body: { name: 'Careful' } })).toMatchObject({
      status: 200,
    });
    expect(await create({ name: 'Brave' })).toMatchObject({ status: 201 });
  });

  it('lose no change when two people change one at once', async () => {
    const { body } = await create({ name: 'Shared', environment: { A: '1' } });
    const id = body.id;
    const replies = await Promise.all(
      ['B', 'C', 'D'].map((name) =>
        routes.send(`${area}/change`, { ...one(id), body: { environment: { [name]: 'x' } } }),
      ),
    );

    const done = replies.filter(({ status }) => status === 200);
    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused).toEqual(
      refused.map(() =>
        expect.objectContaining({
          status: 409,
          body: expect.objectContaining({ error: 'VERSION_CONFLICT' }),
        }),
      ),
    );
    const { environment } = (await call(`${area}/get`, one(id))).body;
    expect(environment).toHaveLength(1 + done.length);
    expect(await call(`${area}/change`, { ...one(id), body: { version: 1 } })).toMatchObject({ status: 409 });
  });

  it('are at most a hundred in a project', async () => {
    const Key = projectKey(project.projectId);
    await putItem(table, { ...projectItem(project), ...Key, [`${kind}Count`]: 99 });
    const last = await create({ name: 'The last' });

    expect(await create({ name: 'One more' })).toMatchObject({
      status: 409,
      body: { error: `${word}_LIMIT_REACHED` },
    });
    await call(`${area}/remove`, one(last.body.id));
    expect(await create({ name: 'One more' })).toMatchObject({ status: 201 });
  });

  it('are read by every member, changed by few, and unknown to others', async () => {
    const { body } = await create({ name: 'Careful' });
    const params = one(body.id).params;
    const maintainer = await as('maintainer', project);
    const stranger = { cookies: [(await signIn(table)).cookie] };

    expect(await call(`${area}/get`, { ...maintainer, params })).toMatchObject({ status: 200 });
    expect(await call(`${area}/change`, { ...maintainer, params, body: {} })).toMatchObject({ status: 403 });
    expect(await call(`${area}/get`, { ...stranger, params })).toMatchObject({ status: 404 });
    expect(await call(`${area}/get`, one(newId()))).toMatchObject({ status: 404 });
  });
});

describe("a person's own settings", () => {
  it('are empty at first, and what was stored last', async () => {
    const { cookie } = await signIn(table);
    const mine = { cookies: [cookie] };
    const said = {
      effort: 'low',
      agentDefaults: { amp: { model: 'm' } },
      resourceRequirements: { minVcpu: null },
    };

    expect((await call('settings/agents', mine)).body).toEqual({ settings: {} });
    expect((await call('settings/store-agents', { ...mine, body: { ...said, model: null } })).body).toEqual({
      settings: said,
    });
    expect((await call('settings/agents', mine)).body).toEqual({ settings: said });
    expect(
      await call('settings/store-agents', { ...mine, body: { agentDefaults: { cat: {} } } }),
    ).toMatchObject({
      status: 400,
    });
    // A lost body must not erase what it would replace.
    expect(await call('settings/store-agents', mine)).toMatchObject({
      status: 400,
      body: { details: [{ field: 'body', message: expect.stringContaining('new values') }] },
    });
    expect((await call('settings/agents', mine)).body).toEqual({ settings: said });
  });
});
