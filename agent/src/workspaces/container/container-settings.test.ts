import { expect, it } from 'vitest';
import { plainPlan } from './container-plan.js';
import { containerSettings } from './container-settings.js';

const workspace = {
  workspaceId: '01K0000000000000000000000W',
  generation: 2,
  status: 'creating',
  settings: { repository: 'octo/hello.world', cloneUrl: null, branch: 'main' },
  callbackToken: 'the-callback-token',
  making: 'create',
  errorMessage: null,
  pendingCallback: null,
  createdAt: '',
  updatedAt: '',
} as const;
const limits = { Memory: 1, MemorySwap: 1, NanoCpus: 1, PidsLimit: 1 };
const place = {
  nodeId: 'N',
  plan: plainPlan('img', 'default'),
  network: 'bridge',
  limits,
  runFolder: '/run/x',
};

it('labels the container with its workspace, node and generation', () => {
  expect(containerSettings(workspace, place).Labels).toMatchObject({
    'svc.workspace': workspace.workspaceId,
    'svc.node': 'N',
    'svc.generation': '2',
  });
});

it('works in the folder of the repository, on the volume', () => {
  const { WorkingDir, HostConfig } = containerSettings(workspace, place);

  expect(WorkingDir).toBe('/workspaces/hello.world');
  expect(HostConfig?.Mounts).toContainEqual({
    Type: 'volume',
    Source: `svc-ws-${workspace.workspaceId}`,
    Target: '/workspaces',
  });
});

it('holds no secret', () => {
  expect(JSON.stringify(containerSettings(workspace, place))).not.toContain('the-callback-token');
});

it('drops every capability that a dev container does without', () => {
  const { HostConfig } = containerSettings(workspace, place);

  expect(HostConfig).toMatchObject({ CapDrop: ['ALL'], SecurityOpt: [] });
  expect(HostConfig?.CapAdd).not.toContain('NET_RAW');
  expect(HostConfig?.CapAdd).not.toContain('MKNOD');
});

it('sets limits and keeps the namespaces of the machine out', () => {
  const { HostConfig } = containerSettings(workspace, place);

  expect(HostConfig).toMatchObject({ ...limits, IpcMode: 'private', CgroupnsMode: 'private' });
  expect([HostConfig?.PidMode, HostConfig?.UTSMode, HostConfig?.UsernsMode]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
