import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { WebSocket } from 'ws';
import { socketLimits } from '../../../../lambdas/domain/live/socket-limits.js';
import { rateLimits } from '../../../../lambdas/domain/rate-limits/rate-limits.js';
import { LiveServerFrame, unpackFrame } from '../../../../protocol/live.js';
import { LiveClient } from '../../../support/live-client.js';
import { Person } from '../../../support/person.js';
import { until } from '../../../support/until.js';
import { deadlines } from '../../revocation/deadlines.js';

// One person floods the deployed cloud with sockets, messages on them, and changes that all of the
// sockets receive; another person works on, and loses a right in time.

const { url } = inject('cloud');
const opened = 2 * socketLimits.session;
const limits = ['TOO_MANY_SOCKETS', 'RATE_LIMIT_EXCEEDED'];
const title = 'Flood';

let flooder: Person;
let floodTasks: string;
let bystander: Person;
let projectId: string;
let sockets: FloodSocket[] = [];

/** Subscribes and pings without a pause, and reads what comes. */
class FloodSocket {
  readonly errors: string[] = [];
  answers = 0;
  private readonly socket: WebSocket;

  constructor(
    cookie: string,
    private readonly topic: string,
  ) {
    this.socket = new WebSocket(`${url.replace(/^http/, 'ws')}/live`, { headers: { cookie, origin: url } });
    this.socket.on('error', () => undefined);
    this.socket.on('open', () => this.send());
    this.socket.on('message', (data: Buffer) => {
      this.answers += 1;
      for (const message of unpackFrame(LiveServerFrame.parse(JSON.parse(data.toString('utf8')))))
        if (message.type === 'error') this.errors.push(message.error);
      this.send();
    });
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  get isClosed(): boolean {
    return this.socket.readyState === WebSocket.CLOSED;
  }

  end(): void {
    this.socket.terminate();
  }

  private send(): void {
    const action = this.answers % 2 === 0 ? { action: 'subscribe', topic: this.topic } : { action: 'ping' };
    if (this.isOpen) this.socket.send(JSON.stringify(action));
  }
}

async function newProject(person: Person, repository: string, installationId: string): Promise<string> {
  const { body, status, text } = await person.post('/api/projects', {
    ...{ name: `${title} ${repository}`, repository, installationId },
  });
  if (status === 201) return String(body.id);
  const { body: listed } = await person.get('/api/projects');
  const projects: readonly { readonly id: string; readonly repository: string }[] = listed.projects;
  const found = projects.find((project) => project.repository === repository);
  if (!found) throw new Error(`${status}: ${text}`);
  return found.id;
}

beforeAll(async () => {
  flooder = await Person.signIn(url, 'hubot');
  bystander = await Person.signIn(url, 'mallory');
  const flooded = await newProject(flooder, 'octo/hello', '5001');
  floodTasks = `/api/projects/${flooded}/tasks`;
  projectId = await newProject(bystander, 'mallory/secrets', '5002');
  const topic = `project:${flooded}`;
  sockets = Array.from({ length: opened }, () => new FloodSocket(flooder.cookieHeader, topic));
});
afterAll(() => {
  for (const socket of sockets) socket.end();
});

const open = () => sockets.filter(({ isOpen }) => isOpen);

/** Makes changes until asked to stop, and returns what was answered. */
async function change(hasEnded: () => boolean): Promise<readonly string[]> {
  const answers: string[] = [];
  while (!hasEnded() && answers.length < rateLimits.CHANGE.limit + 50) {
    const { status, body } = await flooder.post(floodTasks, { title });
    answers.push(status === 201 ? '201' : `${status} ${body.error}`);
  }
  return answers;
}

it('closes the oldest sockets of a session above its limit, with the documented error', async () => {
  await until(
    'the sockets of the session are within their limit',
    () =>
      (sockets.every(({ isOpen, isClosed }) => isOpen || isClosed) &&
        open().length <= socketLimits.session) ||
      undefined,
  );

  const closed = sockets.filter(({ isClosed }) => isClosed);
  const warned = closed.filter(({ errors }) => errors.includes('TOO_MANY_SOCKETS'));
  expect(warned.length).toBeGreaterThan(0);
  expect(sockets.flatMap(({ errors }) => errors).filter((code) => !limits.includes(code))).toEqual([]);
});

it('sends another person each change, and ends a right in time, while the flood goes on', async () => {
  const elsewhere = await Person.signIn(url, 'mallory');
  using live = await LiveClient.connect(url, bystander.cookieHeader);
  using ending = await LiveClient.connect(url, elsewhere.cookieHeader);
  await live.subscribeTo(`project:${projectId}`);
  await ending.subscribeTo(`project:${projectId}`);
  let hasEnded = false;
  const flood = [change(() => hasEnded), change(() => hasEnded)];
  const before = sockets.reduce((sum, { answers }) => sum + answers, 0);

  for (let number = 1; number <= 3; number += 1) {
    const made = await bystander.post(`/api/projects/${projectId}/tasks`, { title: `Change ${number}` });
    expect(made.status, made.text).toBe(201);
    await until('the change arrives', () =>
      live.messages.find(
        (message) => message.type === 'task.updated' && message.data.taskId === made.body.id,
      ),
    );
  }
  const out = await elsewhere.post('/api/auth/sign-out');
  expect(out.status, out.text).toBe(200);
  const limit = (deadlines['sign-out']['live socket'] ?? 0) * 1_000;
  await until('the socket of the session that ended is closed', () => ending.isClosed || undefined, limit);
  const after = sockets.reduce((sum, { answers }) => sum + answers, 0);
  hasEnded = true;
  const answers = (await Promise.all(flood)).flat();

  const isLimited = sockets.some(({ errors }) => errors.includes('RATE_LIMIT_EXCEEDED'));
  expect(after > before || isLimited).toBe(true);
  expect(answers.length).toBeGreaterThan(0);
  expect(answers.filter((answer) => answer !== '201' && answer !== '429 RATE_LIMIT_EXCEEDED')).toEqual([]);
});
