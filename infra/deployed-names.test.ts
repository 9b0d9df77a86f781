import { describe, expect, it } from 'vitest';
import { routes } from '../lambdas/routes.js';
import { brokenNames, deployedNames, exportsOf, importsOf } from './deployed-names.js';
import stored from './deployed-names.json' with { type: 'json' };
import { settingNames } from './settings.js';
import { type Synthesised, synthesise } from './testing.js';

const domain = {
  domainName: 'berth.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:111111111111:certificate/1',
};
const zone = { ...domain, hostedZoneId: 'Z1', hostedZoneName: 'example.com' };
const nodes = { nodesDomain: 'nodes.example.com', nodesZoneId: 'Z2' };

/** Each setting with a value other than its default, and the settings that it needs. */
const examples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  domainName: domain,
  certificateArn: domain,
  hostedZoneId: zone,
  hostedZoneName: zone,
  nodesDomain: nodes,
  nodesZoneId: nodes,
  publicUrl: { publicUrl: 'https://front.example.com' },
  workspaceUrlTemplate: { workspaceUrlTemplate: 'https://ws-{workspaceId}.example.com' },
  liveEndpointTemplate: { liveEndpointTemplate: 'https://{apiId}.example.com' },
  codeHostUrl: { codeHostUrl: 'https://git.example.com' },
  codeHostApiUrl: { codeHostApiUrl: 'https://git.example.com/api' },
  providerUrls: { providerUrls: { anthropic: 'https://models.example.com' } },
  codeHostAppSlug: { codeHostAppSlug: 'other' },
  ec2EndpointUrl: { ec2EndpointUrl: 'http://127.0.0.1:1' },
  signingKeyGenerations: { signingKeyGenerations: [1, 2] },
  originSecretGenerations: { originSecretGenerations: [2, 1] },
  nodeReadConcurrency: { nodeReadConcurrency: 10 },
  limitFactor: { limitFactor: 2 },
  nodeReadyTimeoutSeconds: { nodeReadyTimeoutSeconds: 60 },
  workspaceReadyTimeoutSeconds: { workspaceReadyTimeoutSeconds: 90 },
  nodeInstanceTypes: { nodeInstanceTypes: [{ name: 'm7g.large', vcpu: 2, memoryGb: 8, diskGb: 60 }] },
  cpuOvercommit: { cpuOvercommit: 1 },
  nodeSaturationPercent: { nodeSaturationPercent: 80 },
  warmNodes: { warmNodes: 2 },
  nodeCapacity: { nodeCapacity: 5 },
  maxNodesPerUser: { maxNodesPerUser: 2 },
  nodeImageParameter: { nodeImageParameter: '/other/arm64' },
  workspaceImage: { workspaceImage: 'image' },
  maxNodes: { maxNodes: 5 },
  maxWorkspacesPerUser: { maxWorkspacesPerUser: 20 },
  maxSocketsPerUser: { maxSocketsPerUser: 64 },
  maxSockets: { maxSockets: 500 },
  agentMessageChannelsEnabled: { agentMessageChannelsEnabled: true },
  superadmins: { superadmins: '1,2' },
  allowedOrganisations: { allowedOrganisations: 'octo' },
  allowedLogins: { allowedLogins: 'octo' },
  allowedEmailDomains: { allowedEmailDomains: 'example.com' },
  localPushService: { localPushService: 'http://127.0.0.1:1', publicUrl: 'http://localhost:1' },
  projectEventWakeEnabled: { projectEventWakeEnabled: true },
  channelLimits: { channelLimits: { messageBytes: 1_024 } },
  logLevel: { logLevel: 'DEBUG' },
  alarmTopicArn: { alarmTopicArn: 'arn:aws:sns:us-east-1:111111111111:alarms' },
  retainData: { retainData: false },
};

/** Not compared: another id is another deployment, and the others are for builds and checks. */
const notCompared = ['deploymentId', 'bakedWorkspaceImage', 'allowMissing', 'nag'];

/** A generation of the signing key is never taken back: its export stays. */
const neverRemoved = ['signingKeyGenerations'];

/**
 * Routes that have every grant together: the exports of the deployment with less time for synth.
 */
const covering = routes.filter(({ grants }, index) => {
  const earlier = routes.slice(0, index);
  return grants.some((grant) => !earlier.some((route) => route.grants.includes(grant)));
});

const vanishing = (before: Synthesised, after: Synthesised): readonly string[] => {
  const kept = new Set(exportsOf(after));
  return [...importsOf(before)].filter((name) => !kept.has(name));
};

describe('an update of a live deployment', () => {
  const plain = synthesise({}, covering);

  it('is compared for every setting', () => {
    expect([...Object.keys(examples), ...notCompared].sort()).toEqual([...settingNames].sort());
    expect(importsOf(plain).size).toBeGreaterThan(20);
  });

  it.each(Object.entries(examples))('to another %s keeps every export that is imported', (name, context) => {
    const changed = synthesise(context, covering);

    expect(vanishing(plain, changed), 'added').toEqual([]);
    if (!neverRemoved.includes(name)) expect(vanishing(changed, plain), 'removed').toEqual([]);
  });
});

describe('the stored names', () => {
  const current = deployedNames(synthesise());

  it('are kept by the present code', () => {
    expect(brokenNames(stored, current)).toEqual([]);
  });

  it('include all names of the present code: npm run generate adds new names', () => {
    expect(stored).toEqual(current);
  });

  it('would miss an export that vanishes and a route that moves', () => {
    const [first = '', ...others] = current.exports;
    const moved = { ...current.routes, 'GET /health': 'berth-api-1/Other' };

    expect(brokenNames(current, { exports: others, routes: moved })).toEqual([
      expect.stringContaining(`The export ${first} vanishes`),
      expect.stringContaining('The route GET /health moves'),
    ]);
  });
});
