import type { FakeControlPlane } from './fake-control-plane.js';

/** Body of a create request for the repository that has a commit. */
export async function workspaceRequest(fake: FakeControlPlane, workspaceId: string, overrides: object = {}) {
  return {
    workspaceId,
    generation: 1,
    repository: 'octo/full',
    cloneUrl: fake.cloneUrl('full'),
    branch: 'main',
    callbackToken: await fake.workspaceCallback(workspaceId),
    gitUserName: 'Octo Cat',
    gitUserEmail: 'octo@example.com',
    ...overrides,
  };
}
