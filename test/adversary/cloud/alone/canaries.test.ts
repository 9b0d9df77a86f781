import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Node } from '../../../../lambdas/domain/nodes/node.js';
import { Person } from '../../../support/person.js';
import { CloudPlaces, placeOf } from '../../canaries/cloud-places.js';
import { Listener } from '../../canaries/listener.js';
import { codeHostCanaries, tokensOnDisk } from '../../canaries/made-secrets.js';
import { type Canary, filesBelow, leaksOf, type Place, processes } from '../../canaries/places.js';
import { storeKey, Worker } from '../../canaries/worker.js';

// One secret of each owner and two people at work: what is where, while their agents run.

const { url, tableName, stateDir, harnessFolder, octo, mallory } = inject('cloud');
const superadmin = new Person(url, octo);
const make = (owner: string) => `sk-ant-canary-${owner}-${randomBytes(24).toString('hex')}`;
const secrets = {
  mallory: make('mallory'),
  hubot: make('hubot'),
  project: make('project'),
  platform: make('platform'),
  variable: make('variable'),
};
const platformProviders = ['anthropic', 'openai'];

const startedAt = new Date();
const listener = new Listener();
const cloud = new CloudPlaces(inject('cloud'));
let workers: readonly Worker[] = [];
let canaries: readonly Canary[];

beforeAll(async () => {
  await listener.start();
  for (const provider of platformProviders)
    await storeKey(superadmin, '/api/admin/credentials', { provider, token: secrets.platform });
  const listenerUrl = listener.url;
  const { mallory: key, project: projectKey, variable } = secrets;
  const [first, second] = await Promise.all([
    Worker.begin(new Person(url, mallory), {
      ...{ login: 'mallory', repository: 'mallory/secrets', key, projectKey, variable, listenerUrl },
    }),
    Worker.begin(await Person.signIn(url, 'hubot'), {
      ...{ login: 'hubot', repository: 'octo/hello', key: secrets.hubot, listenerUrl },
    }),
  ]);
  workers = [first, second];
  canaries = [
    ...ownKeys(first, second),
    { name: 'the key of the project for another agent', value: secrets.project, mayBeIn: [] },
    { name: 'the key of the platform', value: secrets.platform, mayBeIn: [] },
    ...[superadmin, ...workers.map(({ person }) => person)].flatMap(cookiesOf),
    ...codeHostCanaries(stateDir),
    ...tokensOnDisk(stateDir, harnessFolder),
  ];
});

afterAll(async () => {
  for (const provider of platformProviders) await superadmin.delete(`/api/admin/credentials/${provider}`);
  for (const worker of workers) await worker.end();
  listener.stop();
});

function ownKeys(first: Worker, second: Worker): readonly Canary[] {
  const agentOf = ({ workspaceId }: Worker) =>
    [new RegExp(`^environment of an agent in ${workspaceId}$`), 'their own agent works with it'] as const;
  const model = (login: string) => [new RegExp(`^listener of ${login}$`), 'it goes to the model'] as const;
  return [
    { name: 'the key of mallory', value: secrets.mallory, mayBeIn: [agentOf(first), model('mallory')] },
    { name: 'the key of hubot', value: secrets.hubot, mayBeIn: [agentOf(second), model('hubot')] },
    { name: 'the variable of the profile', value: secrets.variable, mayBeIn: [agentOf(first)] },
  ];
}

const cookiesOf = ({ cookies }: Person): readonly Canary[] =>
  cookies.flatMap(([name, value]) =>
    name.includes('session') ? [{ name: 'a session cookie', value, mayBeIn: [] }] : [],
  );

/** Agents by the workspace they work in; all others are meant to have nothing. */
function describeProcess(environment: string): string {
  const worker = workers.find(({ workspaceId }) => environment.includes(workspaceId));
  return worker && environment.includes('SVC_HARNESS=')
    ? `an agent in ${worker.workspaceId}`
    : 'another process';
}

async function cloudPlaces(): Promise<readonly Place[]> {
  const items = await cloud.items(tableName);
  const nodes = items
    .filter(({ entity, status }) => entity === 'node' && status === 'running')
    .map((item) => Node.parse(item));
  return [
    ...items.map((item) => placeOf(`item ${item.entity}`, item)),
    ...(await cloud.sagas()),
    ...(await cloud.queues()),
    ...(await cloud.functionLogs(startedAt)),
    ...(await Promise.all(nodes.map((node) => cloud.debugPackage(node, url)))),
  ];
}

describe('each secret', () => {
  it('is in no file, process, record, saga, queue, log or debug package but where it is declared', async () => {
    expect([...new Set(canaries.map(({ name }) => name))]).toEqual(
      expect.arrayContaining([
        'a session cookie',
        'the private key of the code host',
        'a callback token',
        'an MCP token',
      ]),
    );

    const places = [
      ...filesBelow(stateDir),
      ...filesBelow(harnessFolder),
      ...processes(describeProcess),
      ...(await cloudPlaces()),
      ...listener.places,
    ];

    expect(leaksOf(canaries, places)).toEqual([]);
    // A search that looks nowhere finds nothing.
    const kinds = [
      'file logs/',
      'file ec2/',
      'history of',
      'queue',
      'function log',
      'item credential',
      'debug package',
    ];
    for (const kind of kinds)
      expect(
        places.some(({ name }) => name.startsWith(kind)),
        kind,
      ).toBe(true);
  });

  it('is found where it is declared, so the search would find it elsewhere', () => {
    const places = [...processes(describeProcess), ...listener.places];

    for (const { name, value, mayBeIn } of canaries.slice(0, 3))
      for (const [where] of mayBeIn) {
        const found = places.filter(({ content }) => content.includes(value));
        expect(
          found.some((place) => where.test(place.name)),
          `${name}: ${where}`,
        ).toBe(true);
      }
  });
});
