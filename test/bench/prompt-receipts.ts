import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ulid } from 'ulid';
import { AgentProcess } from '../integration/agent/agent-process.js';
import { FakeControlPlane } from '../integration/agent/fake-control-plane.js';
import { workspaceRequest } from '../integration/agent/workspace-request.js';
import { AcpHarness } from '../support/acp-harness/acp-harness.js';
import { until } from '../support/until.js';
import { type Measurement, median } from './measurement.js';

const rounds = 300;
/**
 * What is bounded is full by then: the replay of the conversation, caches, the heap itself. From
 * 6,000 prompts on, the memory is flat: 141.3 MiB then, 142.1 MiB at 38,000.
 */
const warmUp = 8_000;
const prompts = 10_000;
/** About as long as what a receipt adds to the log of the database. */
const lineBytes = 8_192;

type Ask = (method: string, path: string, body?: object) => Promise<Answered>;

interface Answered {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * A versioned prompt until its acceptance is on disk and answered, against a bare append and fsync
 * on the same disk and a bare request to the same server, in turn; then how much memory the agent
 * holds after ten thousand of them.
 */
export async function measurePromptReceipts(): Promise<readonly Measurement[]> {
  await using fake = await FakeControlPlane.start();
  await using agent = new AgentProcess(fake, { NODE_ROLE: 'standalone', HEARTBEAT_INTERVAL: '60s' });
  const harness = await AcpHarness.make(join(agent.folder, 'harness'));
  await agent.start({ ACP_COMMAND_OVERRIDES: JSON.stringify({ 'claude-code': harness.command }) });
  const workspaceId = ulid();
  const token = await fake.management(workspaceId);
  await agent.call('POST', '/workspaces', token, await workspaceRequest(fake, workspaceId));
  await until('the workspace runs', async () => {
    const { body } = await agent.call('GET', '/workspaces', await fake.management());
    return JSON.stringify(body).includes('"running"') || undefined;
  });
  const pool = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask: Ask = (method, path, body) => send(agent, { pool, token, method, path, body });
  const sessions = `/workspaces/${workspaceId}/agent-sessions`;
  await ask('POST', sessions, { sessionId: 'bench' });
  const start = { agentType: 'claude-code', initialPrompt: '[[say ready]]' };
  await ask('POST', `${sessions}/bench/start`, { protocolVersion: 1, deliveryId: 'd-1', ...start });
  let count = 1;
  const prompt = async () => {
    count += 1;
    return accepted(ask, `${sessions}/bench`, count);
  };
  await prompt();

  const times = { prompt: [] as number[], echo: [] as number[], append: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    times.append.push(append(join(agent.folder, 'append')));
    times.echo.push(await timed(() => ask('GET', '/health')));
    times.prompt.push(await prompt());
  }
  const [accept, bare] = [median(times.prompt), median(times.echo) + median(times.append)];

  while (count < warmUp) await prompt();
  const before = residentMiB(agent.pid);
  for (let index = 0; index < prompts; index += 1) await prompt();
  const growth = residentMiB(agent.pid) - before;
  pool.destroy();
  return [
    { name: `Prompt accepted with its receipt on disk, p50 of ${rounds}`, value: round(accept), unit: 'ms' },
    {
      name: '— against append and fsync plus a bare request',
      value: round(accept / bare),
      unit: 'x',
      limit: 2,
    },
    { name: '— of that append and fsync, p50', value: round(median(times.append)), unit: 'ms' },
    { name: '— of that bare request, p50', value: round(median(times.echo)), unit: 'ms' },
    { name: `Memory of the agent grown by ${prompts} prompts`, value: round(growth), unit: 'MiB', limit: 20 },
  ];
}

/** Waits for the end of the prompt before, and measures the request alone. */
async function accepted(ask: Ask, session: string, count: number): Promise<number> {
  for (let state = ''; count > 1 && state !== 'completed'; ) {
    const { body } = await ask('GET', `${session}/prompt-receipts/d-${count - 1}`);
    state = String(body.state);
    if (state === 'in_flight') await wait(1);
  }
  const body = { protocolVersion: 1, deliveryId: `d-${count}`, prompt: `[[say ${count}]]` };
  let status = 0;
  const took = await timed(async () => {
    ({ status } = await ask('POST', `${session}/prompt`, body));
  });
  if (status !== 202) throw new Error(`A prompt was answered ${status}`);
  return took;
}

function append(path: string): number {
  const file = openSync(path, 'a');
  try {
    const startedAt = performance.now();
    writeSync(file, Buffer.alloc(lineBytes));
    fsyncSync(file);
    return performance.now() - startedAt;
  } finally {
    closeSync(file);
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

interface Asked {
  readonly pool: Agent;
  readonly token: string;
  readonly method: string;
  readonly path: string;
  readonly body: object | undefined;
}

function send(agent: AgentProcess, { pool, token, method, path, body }: Asked): Promise<Answered> {
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${token}`,
    ...(text ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } : {}),
  };
  const address = { host: '127.0.0.1', port: agent.port, agent: pool, ca: agent.certificate() };
  return new Promise((resolve, reject) => {
    const sent = request({ ...address, method, path, headers }, (response) => {
      let answer = '';
      response.on('data', (chunk: Buffer) => {
        answer += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(answer) }));
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

function residentMiB(pid: number): number {
  const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1_024;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
