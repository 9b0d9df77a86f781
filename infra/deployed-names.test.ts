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

/**
 * Settings whose values functions read, each with a value other than its default. All change
 * together, as a synthesis takes half a second of a processor.
 */
const values = {
  workspaceUrlTemplate: 'https://ws-{workspaceId}.example.com',
  liveEndpointTemplate: 'https://{apiId}.example.com',
  codeHostUrl: 'https://git.example.com',
  codeHostApiUrl: 'https://git.example.com/api',
  providerUrls: { anthropic: 'https://models.example.com' },
  codeHostAppSlug: 'other',
  nodeReadConcurrency: 10,
  limitFactor: 2,
  nodeReadyTimeoutSeconds: 60,
  workspaceReadyTimeoutSeconds: 90,
  nodeInstanceTypes: [{ name: 'm7g.large', vcpu: 2, memoryGb: 8, diskGb: 60 }],
  cpuOvercommit: 1,
  nodeSaturationPercent: 80,
  nodeCapacity: 5,
  maxNodesPerUser: 2,
  maxNodes: 5,
  maxWorkspacesPerUser: 20,
  maxSocketsPerUser: 64,
  maxSockets: 500,
  superadmins: '1,2',
  allowedOrganisations: 'octo',
  allowedLogins: 'octo',
  allowedEmailDomains: 'example.com',
  channelLimits: { messageBytes: 1_024 },
  logLevel: 'DEBUG',
};

/** Settings that add, change or remove resources, with the settings that they need. */
const changes: readonly Readonly<Record<string, unknown>>[] = [
  values,
  domain,
  zone,
  nodes,
  { publicUrl: 'https://front.example.com' },
  { ec2EndpointUrl: 'http://127.0.0.1:1' },
  { signingKeyGenerations: [1, 2] },
  { originSecretGenerations: [2, 1] },
  { warmNodes: 2 },
  { nodeImageParameter: '/other/arm64' },
  { workspaceImage: 'image' },
  { agentMessageChannelsEnabled: true },
  { localPushService: 'http://127.0.0.1:1', publicUrl: 'http://localhost:1' },
  { projectEventWakeEnabled: true },
  { alarmTopicArn: 'arn:aws:sns:us-east-1:111111111111:alarms' },
  { retainData: false },
  { acmeDirectory: 'off' },
  {
    acmeDirectory: 'https://ca.example.com/directory',
    acmeContact: 'operator@example.com',
    acmeProfile: 'node',
    acmeTrustAnchors: '-----BEGIN CERTIFICATE-----',
  },
];

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

const nameOf = (context: object): string =>
  context === values ? 'value of each function' : Object.keys(context).join(', ');

describe('an update of a live deployment', () => {
  const plain = synthesise({}, covering);

  it('is compared for every setting', () => {
    const compared = new Set(changes.flatMap((context) => Object.keys(context)));
    expect([...compared, ...notCompared].sort()).toEqual([...settingNames].sort());
    expect(importsOf(plain).size).toBeGreaterThan(20);
  });

  const named = changes.map((context) => [nameOf(context), context] as const);
  it.each(named)('to another %s keeps every export that is imported', (name, context) => {
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

  it('would miss what vanishes and a route that moves', () => {
    const [first = '', ...exports] = current.exports;
    const [anonymous = '', ...anonymousRoutes] = current.anonymousRoutes;
    const [step = '', ...steps] = current.steps;
    const routes = { ...current.routes, 'GET /health': 'berth-api-1/Other' };

    expect(brokenNames(current, { exports, routes, anonymousRoutes, steps })).toEqual([
      expect.stringContaining(`The export ${first} vanishes`),
      expect.stringContaining('The route GET /health moves'),
      expect.stringContaining(`The route ${anonymous} vanishes`),
      expect.stringContaining(`The step ${step} vanishes`),
    ]);
    expect(steps.length).toBeGreaterThan(30);
    expect(anonymousRoutes.length).toBeGreaterThan(10);
  });
});
