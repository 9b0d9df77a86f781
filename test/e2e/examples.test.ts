import { spawn, spawnSync } from 'node:child_process';
import { describe, expect, inject, it } from 'vitest';
import { ownAccount } from '../support/own-account.js';

const { url } = inject('cloud');
const { login, cookies } = ownAccount();
const session = new Map(cookies).get('__Host-berth_session') ?? '';
const agentKey = `sk-ant-${'k'.repeat(40)}`;
const hasTools = ['bash', 'curl', 'jq'].every((tool) => spawnSync(tool, ['--version']).status === 0);
if (!hasTools) console.warn('The example in bash is not run: it takes bash, curl and jq.');

/** What the coding agent of this cloud does, by the words of its prompts. */
const work = {
  BERTH_TASK: 'Greet\n[[sh echo Hello >> GREETING.md && git add . && git commit -qm Greet]][[say It greets]]',
  BERTH_FOLLOW_UP: 'Thank you [[say You are welcome]]',
};

/** Runs it as a person does, but with nothing else of this process's environment. */
async function run(command: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(command, args, {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      BERTH_URL: url,
      BERTH_AGENT_KEY: agentKey,
      ...work,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, output };
}

describe('the examples go from nothing to a finished task', () => {
  it.runIf(hasTools)('with bash and curl', async () => {
    const { code, output } = await run('bash', ['examples/first-task.sh'], { BERTH_LOGIN: login });

    expect(code, output).toBe(0);
    expect(output).toMatch(
      /It greets.*You are welcome.*"toStatus":"completed".*What the agent has pushed is on the branch/s,
    );
    expect(output).not.toContain(agentKey);
  });

  it('with the typed client', async () => {
    const args = ['--import', 'tsx', 'examples/first-task.ts'];
    const { code, output } = await run(process.execPath, args, { BERTH_SESSION: session });

    expect(code, output).toBe(0);
    expect(output).toMatch(/assistant: .*It greets.*assistant: .*You are welcome.*Finished/s);
    expect(output).not.toContain(agentKey);
  });
});
