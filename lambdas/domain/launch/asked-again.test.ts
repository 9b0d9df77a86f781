import { expect, it } from 'vitest';
import { askedAgain } from './asked-again.js';
import type { LaunchLayer } from './launch-layer.js';
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

  expect(askedAgain(resolveLaunch({ request, project }))).toEqual(request);
});

it('is nothing where the request had said nothing, or there was none', () => {
  expect(askedAgain(resolveLaunch({ project: { agentType: 'amp', taskMode: 'conversation' } }))).toEqual({});
  expect(askedAgain(null)).toEqual({});
});

it('is the platform’s figure where the request had wanted no demand, whatever a layer demands by then', () => {
  const again = askedAgain(resolveLaunch({ request: { resourceRequirements: { minVcpu: null } } }));

  expect(resolveLaunch({ request: again, project: { resourceRequirements: { minVcpu: 8 } } })).toMatchObject({
    resourceRequirements: { minVcpu: { value: 2, from: 'request' } },
  });
});
