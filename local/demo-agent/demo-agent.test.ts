import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installDemoAgent } from './demo-agent.js';

interface Message {
  readonly id?: number;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field and fail if it is missing
  readonly params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: the same
  readonly result?: any;
}

const folder = mkdtempSync(join(tmpdir(), 'berth-demo-'));
let command: readonly string[];
beforeAll(async () => {
  const env = await installDemoAgent({ folder, mountedAt: folder });
  command = JSON.parse(env.ACP_COMMAND_OVERRIDES).opencode;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs one task in a new repository. `answer` is what its person says to the question. */
async function runTask(message: string, answer: string) {
  const cwd = mkdtempSync(join(folder, 'repository-'));
  spawnSync('git', ['init', '--quiet', cwd]);
  const [file = '', ...args] = command;
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const send = (sent: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...sent })}\n`);
  const updates: { sessionUpdate: string; kind?: string }[] = [];
  send({ id: 1, method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {} } });
  try {
    for await (const line of createInterface(child.stdout)) {
      const { id, method, params, result }: Message = JSON.parse(line);
      if (method === 'session/update') updates.push(params.update);
      if (method === 'session/request_permission')
        send({ id, result: { outcome: { outcome: 'selected', optionId: answer } } });
      else if (id === 1) send({ id: 2, method: 'session/new', params: { cwd, mcpServers: [] } });
      else if (id === 2) {
        const prompt = ['You work alone in a clone', message].map((text) => ({ type: 'text', text }));
        send({ id: 3, method: 'session/prompt', params: { sessionId: result.sessionId, prompt } });
      } else if (id === 3) return { cwd, updates, result };
    }
    throw new Error('The demo agent ended');
  } finally {
    child.kill();
  }
}

describe('the demo agent', () => {
  it('says what it is, asks, writes a file and shows it, without a key', async () => {
    const { cwd, updates, result } = await runTask('Close\nthe door', 'once');

    expect(result).toEqual({ stopReason: 'end_turn' });
    expect(JSON.stringify(updates[0])).toContain('I use no model and no key');
    expect(readFileSync(join(cwd, 'DEMO.md'), 'utf8')).toBe(
      '# What the demo agent was asked\n\n> Close\n> the door\n',
    );
    const tools = updates.filter(({ sessionUpdate }) => sessionUpdate === 'tool_call');
    expect(tools.map(({ kind }) => kind)).toEqual(['read', 'edit', 'execute']);
    expect(JSON.stringify(tools[2])).toContain('?? DEMO.md');
    expect(
      JSON.stringify(updates.filter(({ sessionUpdate }) => sessionUpdate === 'plan').at(-1)),
    ).not.toContain('pending');
  });

  it('changes nothing when it may not', async () => {
    const { cwd, updates } = await runTask('Close the door', 'no');

    expect(spawnSync('git', ['-C', cwd, 'status', '--short'], { encoding: 'utf8' }).stdout).toBe('');
    expect(JSON.stringify(updates.at(-1))).toContain('I changed nothing');
  });
});
