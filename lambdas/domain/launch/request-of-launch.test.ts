import { expect, it } from 'vitest';
import type { LaunchLayer } from './launch-layer.js';
import { fullTrust } from './launch-trust.js';
import { requestOfLaunch } from './request-of-launch.js';
import { resolveLaunch } from './resolve-launch.js';

const request: LaunchLayer = {
  agentType: 'openai-codex',
  workspaceProfile: 'lightweight',
  devcontainerConfigName: 'small',
  taskMode: 'conversation',
  resourceRequirements: { minVcpu: 4, exclusiveNode: false },
};

it('is what the request had said, and nothing that another layer had', () => {
  const project = { effort: 'high', resourceRequirements: { minMemoryGb: 16, minVcpu: 1 } } as const;

  expect(requestOfLaunch(resolveLaunch({ request, project }, fullTrust))).toEqual(request);
});

it('is nothing where the request had said nothing, or there was none', () => {
  expect(
    requestOfLaunch(resolveLaunch({ project: { agentType: 'amp', taskMode: 'conversation' } }, fullTrust)),
  ).toEqual({});
  expect(requestOfLaunch(null)).toEqual({});
});

it('is the platform’s figure where the request had wanted no demand, whatever a layer demands by then', () => {
  const again = requestOfLaunch(
    resolveLaunch({ request: { resourceRequirements: { minVcpu: null } } }, fullTrust),
  );

  expect(
    resolveLaunch({ request: again, project: { resourceRequirements: { minVcpu: 8 } } }, fullTrust),
  ).toMatchObject({
    resourceRequirements: { minVcpu: { value: 2, from: 'request' } },
  });
});
