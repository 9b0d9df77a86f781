import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LaunchLayers, type LaunchSettings, layerNames, platformLayer } from './launch-layer.js';
import { fullTrust } from './launch-trust.js';
import { ResolvedLaunch, resolveLaunch } from './resolve-launch.js';

const stored = ['request', 'profile', 'skill', 'project', 'user'] as const;

/** The value of each layer in these tests; it names its layer. */
const sayings: Readonly<Record<(typeof stored)[number], LaunchSettings>> = {
  request: {
    agentType: 'openai-codex',
    model: 'of-request',
    effort: 'max',
    permissionMode: 'plan',
    workspaceProfile: 'lightweight',
    devcontainerConfigName: 'of-request',
    taskMode: 'conversation',
    taskExecutionTimeoutMs: 61_000,
  },
  profile: {
    agentType: 'openai-codex',
    model: 'of-profile',
    effort: 'xhigh',
    permissionMode: 'dontAsk',
    workspaceProfile: 'full',
    devcontainerConfigName: 'of-profile',
    taskMode: 'task',
    taskExecutionTimeoutMs: 62_000,
  },
  skill: {
    agentType: 'openai-codex',
    model: 'of-skill',
    effort: 'high',
    permissionMode: 'acceptEdits',
    workspaceProfile: 'lightweight',
    devcontainerConfigName: 'of-skill',
    taskMode: 'conversation',
    taskExecutionTimeoutMs: 63_000,
  },
  project: {
    agentType: 'openai-codex',
    model: 'of-project',
    effort: 'medium',
    permissionMode: 'default',
    workspaceProfile: 'lightweight',
    devcontainerConfigName: 'of-project',
    taskMode: 'conversation',
    taskExecutionTimeoutMs: 64_000,
  },
  user: {
    agentType: 'openai-codex',
    model: 'of-user',
    effort: 'low',
    permissionMode: 'bypassPermissions',
    workspaceProfile: 'full',
    devcontainerConfigName: 'of-user',
    taskMode: 'task',
    taskExecutionTimeoutMs: 65_000,
  },
};

const single = [
  'agentType',
  'model',
  'effort',
  'permissionMode',
  'workspaceProfile',
  'devcontainerConfigName',
  'taskMode',
  'taskExecutionTimeoutMs',
] as const;

/** All layers from this one down speak; those above are there and say nothing. */
const from = (lowest: number): LaunchLayers =>
  Object.fromEntries(stored.map((name, at) => [name, at < lowest ? { model: null } : sayings[name]]));

describe('which layer wins', () => {
  describe.each(layerNames.map((name, at) => ({ name, at })))(
    'when $name is the highest that speaks',
    ({ name, at }) => {
      it.each(single)('it says the %s', (field) => {
        const expected = name === 'platform' ? platformLayer[field] : sayings[name][field];
        expect(resolveLaunch(from(at), fullTrust)[field]).toEqual({ value: expected, from: name });
      });

      it('it names the variables that are its own', () => {
        const layers = Object.fromEntries(
          stored.slice(at).map((layer) => [layer, { environment: ['SHARED', `OF_${layer}`] }]),
        );
        const { environment } = resolveLaunch(layers, fullTrust);
        expect(environment.SHARED?.from).toBe(name === 'platform' ? undefined : name);
        expect(Object.keys(environment).filter((variable) => variable !== 'SHARED')).toHaveLength(5 - at);
      });

      it('it says what the machine must have', () => {
        const layers = Object.fromEntries(
          stored.slice(at).map((layer, index) => [
            layer,
            {
              id: `id-of-${layer}`,
              resourceRequirements: { minVcpu: 10 + at + index, exclusiveNode: layer !== 'user' },
            },
          ]),
        );
        const { resourceRequirements, reservation } = resolveLaunch(layers, fullTrust);
        const spoken = name !== 'platform';
        expect(resourceRequirements.minVcpu).toEqual({ value: spoken ? 10 + at : 2, from: name });
        expect(resourceRequirements.minMemoryGb).toEqual({ value: 4, from: 'platform' });
        expect(reservation).toMatchObject({
          cpuMillis: spoken ? (10 + at) * 1000 : 2000,
          memoryMb: 4096,
          diskMb: 40_960,
          exclusiveNode: spoken && name !== 'user',
          maxCoTenants: 4,
          source: name,
          sourceId: spoken ? `id-of-${name}` : null,
          version: 1,
        });
      });
    },
  );

  it('takes each field of the machine from the highest layer that says something of it', () => {
    const { resourceRequirements, reservation } = resolveLaunch(
      {
        profile: { resourceRequirements: { minDiskGb: 80 } },
        skill: { id: 'skill', resourceRequirements: { minVcpu: 0, minDiskGb: 60 } },
        user: { resourceRequirements: { minMemoryGb: 16, exclusiveNode: true } },
        request: { id: 'request', resourceRequirements: { exclusiveNode: false } },
      },
      fullTrust,
    );
    expect(resourceRequirements).toEqual({
      minVcpu: { value: 0, from: 'skill' },
      minMemoryGb: { value: 16, from: 'user' },
      minDiskGb: { value: 80, from: 'profile' },
      exclusiveNode: { value: false, from: 'request' },
      maxCoTenants: { value: 4, from: 'platform' },
    });
    expect(reservation).toMatchObject({ source: 'request', sourceId: 'request' });
  });

  it('does not ask further down where a layer says that there is no demand', () => {
    const { resourceRequirements } = resolveLaunch(
      {
        profile: { resourceRequirements: { minMemoryGb: null } },
        project: { resourceRequirements: { minMemoryGb: 64, minVcpu: 8 } },
      },
      fullTrust,
    );
    expect(resourceRequirements.minMemoryGb).toEqual({ value: 4, from: 'profile' });
    expect(resourceRequirements.minVcpu).toEqual({ value: 8, from: 'project' });
  });

  it('passes over a layer whose demands are cleared', () => {
    const { resourceRequirements } = resolveLaunch(
      {
        profile: { resourceRequirements: null },
        project: { resourceRequirements: { minVcpu: 8 } },
      },
      fullTrust,
    );
    expect(resourceRequirements.minVcpu).toEqual({ value: 8, from: 'project' });
  });

  it('adds up what is added to the instructions, the general first', () => {
    const { systemPromptAppend } = resolveLaunch(
      {
        request: { systemPromptAppend: 'now' },
        profile: { systemPromptAppend: '' },
        skill: { systemPromptAppend: 'how' },
        user: { systemPromptAppend: 'who' },
      },
      fullTrust,
    );
    expect(systemPromptAppend).toEqual([
      { text: 'who', from: 'user' },
      { text: 'how', from: 'skill' },
      { text: 'now', from: 'request' },
    ]);
  });

  it('takes no model that a layer meant for another kind of agent', () => {
    const { agentType, model, effort } = resolveLaunch(
      {
        request: { agentType: 'openai-codex' },
        profile: { agentType: 'claude-code', model: 'of-claude', effort: 'high' },
        user: { model: 'of-any' },
      },
      fullTrust,
    );
    expect(agentType).toEqual({ value: 'openai-codex', from: 'request' });
    expect(model).toEqual({ value: 'of-any', from: 'user' });
    expect(effort).toEqual({ value: 'high', from: 'profile' });
  });

  it('takes what a layer says of this kind of agent before what it says of all', () => {
    const { model, permissionMode } = resolveLaunch(
      {
        project: {
          agentType: 'claude-code',
          model: 'of-claude',
          agentDefaults: { 'openai-codex': { model: 'of-codex' }, 'claude-code': { permissionMode: 'plan' } },
        },
        request: { agentType: 'openai-codex' },
      },
      fullTrust,
    );
    expect(model).toEqual({ value: 'of-codex', from: 'project' });
    expect(permissionMode.from).toBe('platform');
  });
});

describe('any layers', () => {
  const text = fc.constantFrom('a', 'b', null, undefined);
  const number = fc.constantFrom(0, 1, 2.5, null, undefined);
  const layer = fc.record({
    model: text,
    devcontainerConfigName: text,
    systemPromptAppend: text,
    environment: fc.uniqueArray(fc.constantFrom('A', 'B', 'C')),
    resourceRequirements: fc.option(fc.record({ minVcpu: number, minMemoryGb: number })),
  });
  const layers = fc.dictionary(fc.constantFrom(...stored), layer).map((given) => given as LaunchLayers);

  it('resolve to a record that can be stored and read again', () => {
    fc.assert(
      fc.property(layers, (given) => {
        const launch = resolveLaunch(given, fullTrust);
        expect(ResolvedLaunch.parse(JSON.parse(JSON.stringify(launch)))).toEqual(launch);
      }),
    );
  });

  it('say of each value the layer that has it, and none above that layer says anything', () => {
    fc.assert(
      fc.property(layers, (given) => {
        const { model } = resolveLaunch(given, fullTrust);
        const above = stored.slice(0, layerNames.indexOf(model.from));
        expect(above.map((name) => given[name]?.model ?? null)).toEqual(above.map(() => null));
        if (model.from !== 'platform') expect(given[model.from]?.model).toBe(model.value);
      }),
    );
  });

  it('below a layer that speaks change nothing', () => {
    fc.assert(
      fc.property(layers, fc.constantFrom('a', 'b'), (given, model) => {
        expect(resolveLaunch({ ...given, request: { model } }, fullTrust).model).toEqual({
          value: model,
          from: 'request',
        });
      }),
    );
  });
});
