import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StartedWorkspaces } from './started-workspaces.js';
import { TerminalClient } from './terminal-client.js';

const line = (index: number) => `${String(index).padStart(5, '0')}\n`;

describe('a terminal keeps all input of a client', () => {
  let started: StartedWorkspaces;
  beforeAll(async () => {
    started = await StartedWorkspaces.start('standalone');
  });
  afterAll(() => started[Symbol.asyncDispose]());

  it.each([
    ['that sends 200 frames a second', 600, 5],
    ['that sends 2000 frames at once', 2_000, 0],
  ])('%s', async (_, frames, pauseMs) => {
    const { agent, fake, workspaceId } = started;
    const client = await TerminalClient.open(agent, await fake.terminal(workspaceId));
    const sessionId = `rate-${frames}`;
    client.send({ type: 'create_session', sessionId });
    await client.waitFor('session_created');
    const text = Array.from({ length: frames }, (_, index) => line(index)).join('');
    client.type(sessionId, `stty -echo; echo REA"DY"; head -c ${text.length} | sha256sum\n`);
    await client.waitForText(/READY/);

    const start = performance.now();
    for (let index = 0; index < frames; index++) {
      client.type(sessionId, line(index));
      const early = start + index * pauseMs - performance.now();
      if (early > 0) await delay(early);
    }

    await client.waitForText(/[0-9a-f]{64}/, 30_000);
    expect(client.text).toContain(createHash('sha256').update(text).digest('hex'));
    expect(client.closed).toBeNull();
    client.socket.close();
  });
});
