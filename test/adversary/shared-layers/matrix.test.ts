import { describe, expect, it } from 'vitest';
import type { LaunchSettings } from '../../../lambdas/domain/launch/launch-layer.js';
import { type SharedRule, sharedRules } from '../../../lambdas/domain/launch/shared-rules.js';
import type { Task } from '../../../lambdas/domain/tasks/task.js';
import { agentTypes } from '../../../protocol/agent-sessions.js';
import { agentOf, aTeam, type SharedLayer, sharedLayers, tokens } from './team.js';

type Plain = Exclude<keyof typeof sharedRules, 'environment' | 'agentDefaults'>;

/** A value of each setting. A new setting without one does not compile. */
const samples = {
  agentType: 'opencode',
  model: 'a/model',
  effort: 'low',
  permissionMode: 'plan',
  opencodeProvider: 'custom',
  opencodeBaseUrl: 'https://attacker.example/v1',
  systemPromptAppend: 'Be brief.',
  workspaceProfile: 'lightweight',
  devcontainerConfigName: 'small',
  taskMode: 'conversation',
  taskExecutionTimeoutMs: 61_000,
  resourceRequirements: { minVcpu: 1 },
} as const satisfies Required<Pick<LaunchSettings, Plain>>;

const holders = ['own', 'project', 'platform', 'none'] as const;
type Holder = (typeof holders)[number];

const agentOfRule = (rule: SharedRule) => (typeof rule === 'object' ? rule.redirects : 'opencode');

interface Case {
  readonly setting: Plain;
  readonly layer: SharedLayer;
  readonly holder: Holder;
  /** In the defaults of the agent type. */
  readonly isNested: boolean;
  readonly result: 'passed' | 'ignored';
}

const plain = Object.keys(samples) as readonly Plain[];
const nested = ['model', 'effort', 'permissionMode', 'opencodeProvider', 'opencodeBaseUrl'] as const;

const resultOf = (setting: Plain, holder: Holder): Case['result'] =>
  typeof sharedRules[setting] === 'object' && holder === 'own' ? 'ignored' : 'passed';

const cases: readonly Case[] = holders.flatMap((holder) => [
  ...plain.flatMap((setting) =>
    sharedLayers.map((layer) => ({
      ...{ setting, layer, holder, isNested: false, result: resultOf(setting, holder) },
    })),
  ),
  ...nested.map((setting) => ({
    ...{ setting, layer: 'project' as const, holder, isNested: true, result: resultOf(setting, holder) },
  })),
]);

async function start({ setting, layer, holder, isNested }: Case) {
  const agentType = agentOfRule(sharedRules[setting]);
  const team = await aTeam();
  if (holder === 'own') await team.storeOwn(agentType);
  if (holder === 'project') await team.storeOfProject(agentType);
  if (holder === 'platform') await team.storeOfPlatform(agentType);
  const one: LaunchSettings = { [setting]: samples[setting] };
  const settings = isNested ? { agentDefaults: { [agentType]: one } } : one;
  const task = await team.submit(layer, { settings }, setting === 'agentType' ? {} : { agentType });
  return { team, task, agentType, agent: await agentOf(task) };
}

/** The layers that set it in the launch. */
function setBy({ launch }: Task, setting: Plain): readonly string[] {
  if (!launch) return [];
  if (setting === 'systemPromptAppend') return launch.systemPromptAppend.map(({ from }) => from);
  if (setting === 'resourceRequirements') return [launch.resourceRequirements.minVcpu.from];
  return [launch[setting].from];
}

describe.each(cases)('$setting of the $layer (by type: $isNested) with the credential: $holder', (one) => {
  const { setting, layer, holder, result } = one;

  it(`is ${result}, and the credential reaches no address of another person`, async () => {
    const { task, agent } = await start(one);
    const [settings, key] = [await agent.settings(), await agent.key()];

    expect(setBy(task, setting).includes(layer)).toBe(result === 'passed');
    expect(task.launch?.ignored).toEqual(result === 'ignored' ? [{ field: setting, from: layer }] : []);
    const given = { own: tokens.own, project: tokens.project }[holder as 'own'];
    expect(key).toMatchObject(given ? { status: 200, body: { apiKey: given } } : { status: 404 });
    if (result === 'ignored') expect(JSON.stringify(settings.body)).not.toContain(String(samples[setting]));
  });
});

type Redirecting = { [Name in Plain]: (typeof sharedRules)[Name] extends object ? Name : never }[Plain];
const redirecting = plain.filter(
  (setting): setting is Redirecting => typeof sharedRules[setting] === 'object',
);

describe.each(redirecting)('%s', (setting) => {
  it.each(sharedLayers)(
    'of the %s, chosen for the project’s credential, gets no personal one after its removal',
    async (layer) => {
      const { team, agent, agentType } = await start({
        ...{ setting, layer, holder: 'project', isNested: false, result: 'passed' },
      });
      await team.storeOwn(agentType);
      await team.removeOfProject(agentType);

      const refused = await agent.key();

      expect(refused).toMatchObject({
        status: 403,
        body: { error: 'CREDENTIAL_REDIRECTED', details: [{ field: expect.stringContaining(setting) }] },
      });
      expect(JSON.stringify(refused)).toContain(layer);
      expect(JSON.stringify(refused)).not.toContain(tokens.own);
    },
  );

  it('of the project does not reach an agent that a person selects in place of the task’s', async () => {
    const team = await aTeam();
    await team.storeOwn('opencode');
    const request = { agentType: 'claude-code' } as const;
    const task = await team.submit('project', { settings: { [setting]: samples[setting] } }, request);
    const agent = await agentOf(task, 'opencode');

    expect((await agent.settings()).body).toMatchObject({ [setting]: null });
    expect((await agent.key()).status).toBe(200);
  });
});

describe('provider and address are one value', () => {
  it.each(sharedLayers)('with the address of the %s and the person’s own provider', async (layer) => {
    const team = await aTeam();
    await team.storeOwn('opencode');
    await team.setOwn({ opencodeProvider: 'custom' });
    const { opencodeBaseUrl } = samples;
    const task = await team.submit(layer, { settings: { opencodeBaseUrl } }, { agentType: 'opencode' });

    expect((await (await agentOf(task)).settings()).body).toMatchObject({
      ...{ opencodeProvider: 'custom', opencodeBaseUrl: null },
    });
  });

  it.each(sharedLayers)('with the provider of the %s and the person’s own address', async (layer) => {
    const team = await aTeam();
    await team.storeOwn('opencode');
    await team.setOwn({ opencodeBaseUrl: 'https://own.example/v1' });
    const settings = { opencodeProvider: 'custom' } as const;
    const task = await team.submit(layer, { settings }, { agentType: 'opencode' });

    expect((await (await agentOf(task)).settings()).body).toMatchObject({ opencodeProvider: null });
  });

  it('with both of the person, which a project cannot replace', async () => {
    const team = await aTeam();
    await team.storeOwn('opencode');
    const own = { opencodeProvider: 'custom', opencodeBaseUrl: 'https://own.example/v1' } as const;
    await team.setOwn({ agentDefaults: { opencode: own } });
    const { opencodeProvider, opencodeBaseUrl } = samples;
    const settings = { opencodeProvider, opencodeBaseUrl };
    const task = await team.submit('project', { settings }, { agentType: 'opencode' });
    const agent = await agentOf(task);

    expect((await agent.settings()).body).toMatchObject(own);
    expect(await agent.key()).toMatchObject({ status: 200, body: { apiKey: tokens.own } });
  });
});

it('every rule names an agent type that exists', () => {
  const rules = Object.values<SharedRule>(sharedRules);
  for (const rule of rules) expect(agentTypes).toContain(agentOfRule(rule));
});
