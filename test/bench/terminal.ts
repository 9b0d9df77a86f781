import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { LiveClient } from '../support/live-client.js';
import { Person } from '../support/person.js';
import { TerminalClient } from '../support/terminal-client.js';
import { type Measurement, median } from './measurement.js';
import { expectOk, soon } from './soon.js';

/**
 * What a person waits for once the creation is accepted, in order; each part ends where the next
 * begins.
 */
const parts = {
  saga: 'until the node works on it (saga, placement)',
  node: 'on the node (clone, container)',
  reported: 'until the live socket reports that it runs',
  token: 'terminal token',
  prompt: 'socket and prompt',
} as const;

type Part = keyof typeof parts;
type Sample = Readonly<Record<Part | 'accept' | 'total', number>>;

const creations = 20;
const prompt = /[$#%>] ?$/;

/** A person a role: each may create thirty workspaces an hour. */
const people = {
  standalone: { login: 'octo', installationId: '5001', repository: 'octo/hello' },
  workspace: { login: 'mallory', installationId: '5002', repository: 'mallory/secrets' },
} as const;

/** Creates workspaces one after the other on a node that is up, and opens a terminal of each. */
export async function measureTerminal(
  url: string,
  role: keyof typeof people,
): Promise<readonly Measurement[]> {
  const { login, ...repository } = people[role];
  const person = await Person.signIn(url, login);
  const project = await expectOk(person.post('/api/projects', { name: 'Bench', ...repository }));
  const projectId = String(project.id);
  using live = await LiveClient.connect(url, person.cookieHeader);

  // One that is kept: it brings the node up, fetches the image and keeps the functions' workers
  // warm.
  const first = await create(person, live, projectId);
  const samples: Sample[] = [];
  for (let index = 0; index < creations; index++) {
    const { workspaceId, sample } = await create(person, live, projectId);
    samples.push(sample);
    await removed(person, workspaceId);
  }
  await removed(person, first.workspaceId);
  await gone(person, `/api/nodes/${first.nodeId}`);
  return toMeasurements(samples, role);
}

function toMeasurements(samples: readonly Sample[], role: string): readonly Measurement[] {
  const of = (key: keyof Sample) => samples.map((sample) => sample[key]);
  const sorted = of('total').toSorted((a, b) => a - b);
  const p90 = sorted[Math.ceil(sorted.length * 0.9) - 1] ?? Number.NaN;
  return [
    {
      name: `Create accepted to prompt, ${role}, p50 of ${samples.length}`,
      value: Math.round(median(of('total'))),
      unit: 'ms',
      limit: 1_500,
    },
    { name: `Create accepted to prompt, ${role}, p90`, value: Math.round(p90), unit: 'ms' },
    ...Object.entries(parts).map(
      ([part, name]): Measurement => ({
        name: `— ${name}, p50`,
        // Keys of `parts` are parts.
        value: Math.round(median(of(part as Part))),
        unit: 'ms',
      }),
    ),
    { name: `Request to create, ${role}, p50`, value: Math.round(median(of('accept'))), unit: 'ms' },
  ];
}

interface Created {
  readonly workspaceId: string;
  readonly nodeId: string;
  readonly sample: Sample;
}

async function create(person: Person, live: LiveClient, projectId: string): Promise<Created> {
  const asked = Date.now();
  const { id } = await expectOk(person.post('/api/workspaces', { displayName: 'bench', projectId }));
  const accepted = Date.now();
  const workspaceId = String(id);
  await live.subscribe(workspaceId);
  await soon('running', async () => {
    const statuses = live.statuses(workspaceId);
    if (statuses.includes('errored')) throw new Error('The workspace errored');
    return statuses.includes('running') || undefined;
  });
  const reported = Date.now();
  const token = await expectOk(person.post('/api/terminal/token', { workspaceId }));
  const tokenAt = Date.now();
  await firstPrompt(token, Number(new URL(person.url).port));
  const done = Date.now();
  const { nodeId } = await expectOk(person.get(`/api/workspaces/${workspaceId}`));
  const { logs } = await expectOk(person.get(`/api/workspaces/${workspaceId}/boot-log`));
  const at = (index: number) => Date.parse(logs.at(index).timestamp ?? logs.at(index).createdAt);
  const sample = {
    accept: accepted - asked,
    saga: at(0) - accepted,
    node: at(-1) - at(0),
    reported: reported - at(-1),
    token: tokenAt - reported,
    prompt: done - tokenAt,
    total: done - accepted,
  };
  return { workspaceId, nodeId: String(nodeId), sample };
}

async function firstPrompt(
  { token, workspaceUrl }: { readonly token: string; readonly workspaceUrl: string },
  port: number,
): Promise<void> {
  const terminal = new TerminalClient('bench', { host: new URL(workspaceUrl).host, port });
  await terminal.connect(token);
  const created = terminal.create();
  await soon('a prompt', () => prompt.test(stripVTControlCharacters(terminal.text)) || undefined);
  await created;
  terminal.drop();
}

const removed = (person: Person, workspaceId: string) => gone(person, `/api/workspaces/${workspaceId}`);

async function gone(person: Person, path: string): Promise<void> {
  await person.delete(path);
  await soon(`${path} deleted`, async () => {
    const { status } = await person.get(path);
    if (status !== 404) await delay(100);
    return status === 404 || undefined;
  });
}
