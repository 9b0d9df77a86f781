import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import {
  type ClientContext,
  client,
  methods,
  type NewSessionResponse,
  ndJsonStream,
} from '@agentclientprotocol/sdk';
import { expect, it } from 'vitest';
import { AcpHarness } from '../../support/acp-harness/acp-harness.js';

/** Runs the process with a client that only listens. */
async function talk<T>(
  harness: AcpHarness,
  work: (agent: ClientContext, updates: readonly string[]) => Promise<T>,
): Promise<T> {
  const [file, ...args] = harness.command;
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const updates: string[] = [];
  const app = client({ name: 'test' }).onNotification(methods.client.session.update, ({ params }) => {
    const { update } = params;
    if ('content' in update && update.content && 'text' in update.content) updates.push(update.content.text);
  });
  const input = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  try {
    return await app.connectWith(ndJsonStream(Writable.toWeb(child.stdin), input), async (agent) => {
      await agent.request(methods.agent.initialize, { protocolVersion: 1 });
      return work(agent, updates);
    });
  } finally {
    child.kill('SIGKILL');
  }
}

const newSession = { cwd: '/', mcpServers: [] };

it('executes the prompt, and records each invocation before', async () => {
  const harness = await AcpHarness.make(mkdtempSync(join(tmpdir(), 'harness-')));
  const text = '[[stream 3]][[flood 5]]';

  const updates = await talk(harness, async (agent, received) => {
    const session = await agent.request<NewSessionResponse>(methods.agent.session.new, newSession);
    await agent.request(methods.agent.session.prompt, { ...session, prompt: [{ type: 'text', text }] });
    return received;
  });

  expect(updates.join('')).toBe('0 1 2 0 1 2 3 4 ');
  expect(harness.journal().map(({ event }) => event)).toEqual([
    'process',
    'initialize',
    'new',
    'prompt',
    'end',
  ]);
  expect(harness.journal('prompt')).toMatchObject([{ text }]);
});

it('loads its sessions in another process, and unknown ones only when it lies', async () => {
  const harness = await AcpHarness.make(mkdtempSync(join(tmpdir(), 'harness-')));
  const prompt = [{ type: 'text' as const, text: 'hello' }];
  const made = await talk(harness, async (agent) => {
    const session = await agent.request<NewSessionResponse>(methods.agent.session.new, newSession);
    await agent.request(methods.agent.session.prompt, { ...session, prompt });
    return session.sessionId;
  });

  const received = await talk(harness, async (agent, updates) => {
    await agent.request(methods.agent.session.load, { ...newSession, sessionId: made });
    return updates;
  });
  const load = (sessionId: string) =>
    talk(harness, (agent) => agent.request(methods.agent.session.load, { ...newSession, sessionId }));

  expect(received).toEqual(['hello', 'echo: hello']);
  await expect(load('never')).rejects.toThrow();
  harness.behave({ liesOnLoad: true });
  await expect(load('never')).resolves.toEqual({});
});
