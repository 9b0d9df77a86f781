import { expect, it } from 'vitest';
import { containerSettings, limitsOf, plainPlan } from './container-settings.js';

const workspace = {
  workspaceId: '01K0000000000000000000000W',
  generation: 2,
  status: 'creating',
  settings: { repository: 'octo/hello.world', cloneUrl: null, branch: 'main' },
  callbackToken: 'the-callback-token',
  provisionKind: 'create',
  errorMessage: null,
  pendingCallback: null,
  isEvicted: false,
  evictionGeneration: '',
  createdAt: '',
  updatedAt: '',
} as const;
const limits = { Memory: 1, MemorySwap: 1, NanoCpus: 1, CpuShares: 2, PidsLimit: 1 };
const place = {
  nodeId: 'N',
  plan: plainPlan('img', 'default'),
  network: 'bridge',
  limits,
  variables: { SVC_WORKSPACE_ID: workspace.workspaceId },
  runFolder: '/run/x',
  harnesses: null,
};

it('labels the container with its workspace, node and generation', () => {
  expect(containerSettings(workspace, place).Labels).toMatchObject({
    'svc.workspace': workspace.workspaceId,
    'svc.node': 'N',
    'svc.generation': '2',
  });
});

it("starts in the repository's folder on the volume", () => {
  const { WorkingDir, HostConfig } = containerSettings(workspace, place);

  expect(WorkingDir).toBe('/workspaces/hello.world');
  expect(HostConfig?.Mounts).toContainEqual({
    Type: 'volume',
    Source: `svc-ws-${workspace.workspaceId}`,
    Target: '/workspaces',
  });
});

it('has the variables of the platform, which the image cannot replace', () => {
  const plan = { ...place.plan, environment: { SVC_WORKSPACE_ID: 'another', COLOUR: 'green' } };

  expect(containerSettings(workspace, { ...place, plan }).Env).toEqual([
    `SVC_WORKSPACE_ID=${workspace.workspaceId}`,
    'COLOUR=green',
    'GIT_CONFIG_SYSTEM=/run/svc/gitconfig',
  ]);
});

it('contains no secret', () => {
  expect(JSON.stringify(containerSettings(workspace, place))).not.toContain('the-callback-token');
});

it('drops every capability that a dev container does not need', () => {
  const { HostConfig } = containerSettings(workspace, place);

  expect(HostConfig).toMatchObject({ CapDrop: ['ALL'], SecurityOpt: [] });
  expect(HostConfig?.CapAdd).not.toContain('NET_RAW');
  expect(HostConfig?.CapAdd).not.toContain('MKNOD');
});

it('sets limits and uses private namespaces', () => {
  const { HostConfig } = containerSettings(workspace, place);

  expect(HostConfig).toMatchObject({ ...limits, IpcMode: 'private', CgroupnsMode: 'private' });
  expect([HostConfig?.PidMode, HostConfig?.UTSMode, HostConfig?.UsernsMode]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

const gib = 2 ** 30;
const node = { processors: 4, memoryBytes: 16 * gib };

it('limits a workspace to its reservation, without swap', () => {
  expect(limitsOf({ cpuMillis: 1_500, memoryMb: 3_072 }, node)).toEqual({
    Memory: 3 * gib,
    MemorySwap: 3 * gib,
    NanoCpus: 1_500_000_000,
    CpuShares: 384,
    PidsLimit: 6_144,
  });
});

it('gives a workspace without a reservation half of the node', () => {
  expect(limitsOf(undefined, node)).toMatchObject({ Memory: 7.75 * gib, NanoCpus: 2_000_000_000 });
  expect(limitsOf({ cpuMillis: 0, memoryMb: 0 }, node)).toEqual(limitsOf(undefined, node));
});

it("keeps the node's reserve, and never exceeds its processors", () => {
  expect(limitsOf({ cpuMillis: 64_000, memoryMb: 65_536 }, node)).toEqual({
    Memory: 15.5 * gib,
    MemorySwap: 15.5 * gib,
    NanoCpus: 4_000_000_000,
    CpuShares: 1_024,
    PidsLimit: 8_192,
  });
});

it('never goes below the minimum for a shell', () => {
  expect(limitsOf({ cpuMillis: 1, memoryMb: 1 }, node)).toMatchObject({
    Memory: gib / 2,
    NanoCpus: 250_000_000,
    CpuShares: 64,
    PidsLimit: 1_024,
  });
});
