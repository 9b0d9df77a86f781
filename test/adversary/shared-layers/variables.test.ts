import { describe, expect, it } from 'vitest';
import {
  confirmVariables,
  refusePersonalCredentials,
} from '../../../lambdas/domain/credentials/personal-credentials.js';
import { Member, memberKey } from '../../../lambdas/domain/projects/member.js';
import { getItem } from '../../../lambdas/domain/records/batch-items.js';
import { whyReserved } from '../../../protocol/reserved-variables.js';
import { agentOf, aTeam, routes, tokens } from './team.js';

/** Each starts a program, loads code or names an address for a program of usual images. */
const dangerous = [
  ...['TAR_OPTIONS', 'VIMINIT', 'EXINIT', 'RSYNC_RSH', 'CVS_RSH', 'SVN_SSH', 'ZIPOPT', 'PYTEST_ADDOPTS'],
  ...['PYTEST_PLUGINS', 'TF_CLI_ARGS', 'PKG_CONFIG', 'RIPGREP_CONFIG_PATH', 'FZF_DEFAULT_COMMAND'],
  ...['GIO_EXTRA_MODULES', 'CODE_ASSIST_ENDPOINT', 'A_PROGRAM_THAT_NOBODY_LISTED'],
];
const unlisted = dangerous.filter((name) => !whyReserved(name));

const environmentOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'evil']));
const request = { agentType: 'claude-code' } as const;

type Team = Awaited<ReturnType<typeof aTeam>>;
const memberOf = async ({ projectId, userId }: Team) =>
  Member.parse(await getItem(routes.table, memberKey(projectId, userId)));

async function start(team: Team, layer: 'profile' | 'skill', names: readonly string[]) {
  const task = await team.submit(layer, { environment: environmentOf(names) }, request);
  const agent = await agentOf(task);
  const { body } = await agent.assets();
  const { envVars, refused = [] } = body as {
    readonly envVars: readonly { readonly key: string }[];
    readonly refused?: readonly { readonly key: string; readonly reason: string }[];
  };
  return { task, agent, set: envVars.map(({ key }) => key), refused };
}

it('no dangerous name has the prefix of applications, and one that is listed cannot be stored', async () => {
  const team = await aTeam();
  for (const name of dangerous) expect(name).not.toMatch(/^APP_/);
  await expect(start(team, 'profile', ['CODE_ASSIST_ENDPOINT'])).rejects.toMatchObject({
    code: 'VARIABLE_NOT_ALLOWED',
  });
});

describe.each(['profile', 'skill'] as const)('variables that others set in a %s', (layer) => {
  it('are left out beside a personal credential, named with the reason, except those of the application', async () => {
    const team = await aTeam();
    await team.storeOwn('claude-code');

    const { task, agent, set, refused } = await start(team, layer, [...unlisted, 'APP_MODE', 'app_mode']);

    expect(set).toEqual(['APP_MODE']);
    expect(refused.map(({ key }) => key).toSorted()).toEqual([...unlisted, 'app_mode'].toSorted());
    for (const { reason } of refused) expect(reason).toContain('Confirm the name');
    expect(task.launch?.environment.TAR_OPTIONS).toEqual({
      ...{ from: layer, refused: true, refusedBecause: 'not_confirmed' },
    });
    expect(await agent.key()).toMatchObject({ status: 200, body: { apiKey: tokens.own } });
  });

  it('are set beside the project’s credential, and that agent gets no personal one later', async () => {
    const team = await aTeam();
    await team.storeOfProject('claude-code');
    const { agent, set } = await start(team, layer, ['DATABASE_URL', 'APP_MODE']);
    expect(set).toEqual(['APP_MODE', 'DATABASE_URL']);
    await team.storeOwn('claude-code');
    await team.removeOfProject('claude-code');

    const refused = await agent.key();

    expect(refused).toMatchObject({
      status: 403,
      body: { error: 'CREDENTIAL_REDIRECTED', details: [{ field: expect.stringContaining('DATABASE_URL') }] },
    });
    expect(JSON.stringify(refused)).not.toContain('APP_MODE');
    await confirmVariables(routes.table, await memberOf(team), ['DATABASE_URL']);
    expect((await agent.key()).status).toBe(200);
  });

  it('are not set beside the personal credential of another agent type that a person selects', async () => {
    const team = await aTeam();
    await team.storeOfProject('claude-code');
    await team.storeOwn('opencode');
    const { task, set } = await start(team, layer, ['DATABASE_URL']);
    expect(set).toEqual(['DATABASE_URL']);

    const selected = await agentOf(task, 'claude-code', 'opencode');

    expect(await selected.key()).toMatchObject({ status: 403, body: { error: 'CREDENTIAL_REDIRECTED' } });
  });

  it('are set when the owner of the credential confirmed exactly these names', async () => {
    const team = await aTeam();
    await team.storeOwn('claude-code');
    await confirmVariables(routes.table, await memberOf(team), ['DATABASE_URL']);

    const { set, refused } = await start(team, layer, ['DATABASE_URL', 'ADDED_LATER']);

    expect(set).toEqual(['DATABASE_URL']);
    expect(refused).toMatchObject([{ key: 'ADDED_LATER' }]);
  });
});

describe('a confirmation', () => {
  it('ends with the consent, and needs one', async () => {
    const team = await aTeam();
    await team.storeOwn('claude-code');
    await confirmVariables(routes.table, await memberOf(team), ['DATABASE_URL']);
    await refusePersonalCredentials(routes.table, await memberOf(team));

    expect((await memberOf(team)).confirmedVariables).toBeUndefined();
    await expect(confirmVariables(routes.table, await memberOf(team), ['A'])).rejects.toMatchObject({
      code: 'CONSENT_MISSING',
    });
  });

  it('does not accept a reserved name', async () => {
    const member = await memberOf(await aTeam());

    for (const name of ['PATH', 'ld_preload', 'ANTHROPIC_BASE_URL'])
      await expect(confirmVariables(routes.table, member, [name])).rejects.toMatchObject({
        code: 'VARIABLE_NOT_ALLOWED',
      });
  });
});
