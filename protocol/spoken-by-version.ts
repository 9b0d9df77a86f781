const nodeId = '01JD0000000000000000000000';
const time = '2026-11-21T12:00:00.000Z';

/**
 * What agents and control planes of each version say, as they say it: frozen. A message may be
 * added to the newest version before it is released; nothing here is ever changed to make a test
 * pass.
 */
export const spokenByVersion: Readonly<Record<number, Readonly<Record<string, unknown>>>> = {
  1: {
    BootEnv: { NODE_ID: nodeId, CONTROL_PLANE_URL: 'https://berth.example', BOOTSTRAP_TOKEN: 'b'.repeat(43) },
    BootstrapRequest: { nodeId, token: 'b'.repeat(43), redemptionId: '0'.repeat(32) },
    BootstrapResponse: { callbackToken: 'a.b.c', expiresAt: 1_800_000_000 },
    NodeReady: { agentVersion: '0.1.0', role: 'workspace', port: 8443, certificatePem: 'PEM' },
    NodeReadyResult: { status: 'running', readyAt: time },
    Heartbeat: {
      agentVersion: '0.1.0',
      activeWorkspaces: 1,
      metrics: {
        version: 1,
        cpuLoadAvg1: 0.5,
        memoryPercent: 40,
        diskPercent: 20,
        creatingWorkspaces: 0,
        containers: [
          { workspaceId: nodeId, memoryBytes: 1, memoryLimitBytes: null, cpuPercent: 0.1, processes: 3 },
        ],
      },
    },
    HeartbeatResult: {
      status: 'running',
      lastHeartbeatAt: time,
      healthStatus: 'healthy',
      refreshedToken: 'a.b.c',
    },
    WorkspaceReady: { generation: 1, status: 'running' },
    WorkspaceProgress: { generation: 1 },
    ProvisioningFailed: { generation: 1, errorMessage: 'The repository has no branch "main"' },
    CallbackResult: { success: false, reason: 'workspace_not_creating' },
    BootLogCallback: {
      entryId: nodeId,
      generation: 1,
      entry: { step: 'git_clone', status: 'completed', message: 'Clone', timestamp: time, durationMs: 12 },
    },
    GitTokenResult: {
      token: 't',
      expiresAt: time,
      username: 'x-access-token',
      host: 'github.com',
      cloneUrl: 'https://github.com/octo/hello.git',
    },
    RenewCallbackToken: { nodeId, nodeToken: 'a.b.c' },
    RenewCallbackTokenResult: { renewed: true, token: 'a.b.c', expiresAt: 1_800_000_000 },
    CreateNodeWorkspace: {
      workspaceId: nodeId,
      generation: 1,
      repository: 'octo/hello',
      cloneUrl: 'https://github.com/octo/hello.git',
      branch: 'main',
      callbackToken: 'a.b.c',
      gitUserName: 'Octo Cat',
      gitUserEmail: 'octo@example.com',
    },
  },
};
