import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import WebSocket from 'ws';
import { type Measurement, median } from './measurement.js';
import { RunningAgent } from './running-agent.js';

const updates = 50_000;
const perSecond = 10_000;
const rounds = 5;
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const harness = [process.execPath, here('flooding-harness.ts')];

interface Latencies {
  readonly p50: number;
  readonly p99: number;
}

/**
 * From the moment at which a harness writes an update until a viewer has it, at ten thousand a
 * second: through the agent, and through a bare pipe of the same harness to the same kind of
 * socket, turn by turn. That all come, in order, is part of it.
 */
export async function measureStreaming(): Promise<readonly Measurement[]> {
  await using agent = await RunningAgent.start(harness);
  const samples: { agent: Latencies; bare: Latencies }[] = [];
  for (let round = 0; round < rounds; round += 1)
    samples.push({ bare: await throughPipe(agent), agent: await throughAgent(agent, `round-${round}`) });
  const p99 = (of: 'agent' | 'bare') => median(samples.map((sample) => sample[of].p99));
  const added = median(samples.map((sample) => sample.agent.p99 - sample.bare.p99));
  const name = 'Update to viewer at 10 000/s';
  return [
    { name: `${name}, bare pipe, p99`, value: rounded(p99('bare')), unit: 'ms' },
    { name: `${name}, agent, p50`, value: rounded(median(samples.map((s) => s.agent.p50))), unit: 'ms' },
    { name: `${name}, agent, p99`, value: rounded(p99('agent')), unit: 'ms' },
    { name: `${name}, p99 that the agent adds`, value: rounded(added), unit: 'ms', limit: 20 },
  ];
}

async function throughAgent(agent: RunningAgent, sessionId: string): Promise<Latencies> {
  // With a chat, so that messages are stored and delivered during the run, as in production.
  await agent.post(`/workspaces/${agent.workspaceId}/agent-sessions`, {
    sessionId,
    chatSessionId: sessionId,
    projectId: 'bench',
  });
  const socket = new WebSocket(await agent.socketUrl(sessionId), { ca: agent.certificate });
  const ready = Promise.withResolvers<void>();
  socket.on('message', (data: Buffer) => {
    if (/"type":"session_state","status":"ready"/.test(data.toString())) ready.resolve();
  });
  await opened(socket);
  socket.send(JSON.stringify({ type: 'select_agent', agentType: 'claude-code' }));
  await ready.promise;
  const latencies = await flood(socket);
  await agent.post(`/workspaces/${agent.workspaceId}/agent-sessions/${sessionId}/stop`, {});
  return latencies;
}

async function throughPipe({ certificate, key }: RunningAgent): Promise<Latencies> {
  const pipe = spawn(process.execPath, [here('bare-pipe.ts'), ...harness], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, CERTIFICATE: certificate, KEY: key },
  });
  try {
    const [port] = await createInterface(pipe.stdout)
      [Symbol.asyncIterator]()
      .next()
      .then(({ value }) => [value]);
    const socket = new WebSocket(`wss://127.0.0.1:${port}/`, { ca: certificate });
    await opened(socket);
    return await flood(socket);
  } finally {
    pipe.stdin.end();
  }
}

const opened = (socket: WebSocket) =>
  new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));

/** @throws when one is missing or comes out of order */
function flood(socket: WebSocket): Promise<Latencies> {
  const { promise, resolve, reject } = Promise.withResolvers<Latencies>();
  const latencies: number[] = [];
  socket.on('message', (data: Buffer) => {
    const at = performance.timeOrigin + performance.now();
    const { method, params } = JSON.parse(data.toString());
    if (method !== 'session/update' || params.update.sessionUpdate !== 'agent_message_chunk') return;
    for (const piece of params.update.content.text.trimEnd().split(' ')) {
      const [number, written] = piece.split(':').map(Number);
      if (number !== latencies.length) reject(new Error(`${number} came as number ${latencies.length}`));
      latencies.push(at - written);
    }
    if (latencies.length === updates) resolve(percentiles(latencies));
  });
  socket.on('close', () => reject(new Error(`Closed after ${latencies.length} updates`)));
  const prompt = [{ type: 'text', text: `${updates} ${perSecond}` }];
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 'flood', method: 'session/prompt', params: { prompt } }));
  return promise.finally(() => socket.close());
}

function percentiles(latencies: readonly number[]): Latencies {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

const rounded = (ms: number) => Math.round(ms * 10) / 10;
