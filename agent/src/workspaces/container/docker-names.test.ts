import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { containerSettings, plainPlan } from './container-settings.js';
import { containerLabels, labels, parseLabel } from './docker-names.js';
import { serviceSettings } from './service-settings.js';

const limits = { Memory: 2 ** 30, MemorySwap: 2 ** 30, NanoCpus: 1e9, CpuShares: 2, PidsLimit: 64 };
const workspace = {
  workspaceId: '01W',
  generation: 2,
  settings: { repository: 'octo/hello', cloneUrl: null, branch: 'main' },
} as never;
const service = {
  name: 'db',
  image: 'db:1',
  entrypoint: null,
  command: null,
  environment: {},
  user: null,
  workDir: null,
  mounts: [],
  capabilities: [],
  securityOptions: [],
  healthcheck: null,
  isRestarted: false,
  ready: 'started',
} as const;

describe('the labels of a container', () => {
  const own = Object.values(labels).sort();

  it('leave none of the agent to the image', () => {
    const place = { nodeId: 'N', plan: plainPlan('img', 'own'), network: 'n', limits, variables: {} };
    const container = containerSettings(workspace, { ...place, runFolder: '/run/x', harnesses: null });
    const beside = serviceSettings(service, { workspaceId: '01W', labels: {}, limits, order: 0 });

    expect(Object.keys(container.Labels ?? {}).sort()).toEqual(own);
    expect(Object.keys(beside.Labels ?? {}).sort()).toEqual(own);
    expect(container.Labels).toMatchObject({ 'svc.service': '' });
    expect(beside.Labels).toMatchObject({ 'svc.startup': '', 'svc.ports': '', 'svc.origin': '' });
  });

  it('are empty where they are unused', () => {
    expect(containerLabels({ 'svc.node': 'N' })).toMatchObject({ 'svc.node': 'N', 'svc.workspace': '' });
  });

  it.each([undefined, '', 'not-json', '{', '[]', '{"name":1}', 'null'])(
    'with the value %j count as none',
    (text) => {
      expect(parseLabel(z.object({ name: z.string() }), text)).toBeNull();
    },
  );
});
