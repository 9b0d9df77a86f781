import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { docker } from './docker-engine.js';
import { rolesHere, StartedWorkspaces } from './started-workspaces.js';
import { TerminalClient } from './terminal-client.js';

const value = `it's a "plain" $(secret)\nof two lines`;
const names = ['TEAM_TOKEN', 'LD_PRELOAD', 'SVC_WORKSPACE_ID', 'SVC_WORKSPACE_URL', 'SVC_API_URL', 'LANG'];

describe.each(rolesHere)('a shell in the role %s', (role) => {
  let node: StartedWorkspaces;
  let count = 0;

  beforeAll(async () => {
    node = await StartedWorkspaces.start(role);
    assets([
      { key: 'TEAM_TOKEN', value, isSecret: true },
      { key: 'LD_PRELOAD', value: '/tmp/other.so', isSecret: true },
      { key: 'SVC_WORKSPACE_ID', value: 'another', isSecret: true },
    ]);
  });

  afterAll(async () => {
    await node[Symbol.asyncDispose]();
  });

  it('has the variables of the profile, without the reserved ones, and those of the platform', async () => {
    const seen = await variables();

    expect(seen).toMatchObject({ TEAM_TOKEN: value, SVC_WORKSPACE_ID: node.workspaceId });
    expect(seen.LD_PRELOAD).toBe('');
    expect(seen.LANG).toMatch(/UTF-?8$/i);
    expect(seen.SVC_WORKSPACE_URL).toBe(`${node.fake.url}/workspaces/${node.workspaceId}`);
    expect(seen.SVC_API_URL).toMatch(new RegExp(`^http://[\\w.]+:${new URL(node.fake.url).port}$`));
  });

  it('edits a line with characters outside of ASCII', async () => {
    const client = await TerminalClient.open(node.agent, await node.fake.terminal(node.workspaceId));
    client.send({ type: 'create_session', sessionId: 'umlauts', data: { rows: 30, cols: 250 } });
    await client.waitFor('session_created');

    // Without a locale, one backspace deletes half of the last character.
    client.type('umlauts', `echo "<"Grüßeü\u007f">"\n`);

    // The client shows each byte as a character.
    await client.waitForText(new RegExp(`<${Buffer.from('Grüße').toString('latin1')}>`));
    client.socket.close();
  });

  it.skipIf(role === 'standalone')('leaves no variable in files or in the settings of its container', () => {
    const container = `svc-ws-${node.workspaceId}`;

    expect(docker('exec', container, 'ls', '/dev/shm')).toBe('');
    expect(docker('inspect', container)).not.toContain('of two lines');
  });

  it('has the last variables during an outage of the control plane', async () => {
    node.fake.handlers.set('runtime-assets', async () => ({
      status: 503,
      body: { error: 'UNAVAILABLE', message: 'later' },
    }));

    expect(await variables()).toMatchObject({ TEAM_TOKEN: value });
  });

  it('has no variable of the profile after a refusal', async () => {
    node.fake.handlers.set('runtime-assets', async () => ({
      status: 409,
      body: { error: 'STALE_GENERATION', message: 'no' },
    }));

    expect(await variables()).toMatchObject({ TEAM_TOKEN: '', SVC_WORKSPACE_ID: node.workspaceId });
  });

  function assets(envVars: readonly object[]): void {
    const body = { workspaceId: node.workspaceId, envVars, files: [] };
    node.fake.handlers.set('runtime-assets', async () => ({ status: 200, body }));
  }

  /** Of a new shell. Encoded, because the terminal wraps and echoes lines. */
  async function variables(): Promise<Record<string, string>> {
    count += 1;
    const sessionId = `shell-${count}`;
    const client = await TerminalClient.open(node.agent, await node.fake.terminal(node.workspaceId));
    client.send({ type: 'create_session', sessionId, data: { rows: 30, cols: 250 } });
    await client.waitFor('session_created');
    const values = names.map((name) => `"$${name}"`).join(' ');
    client.type(sessionId, `echo "<"$(printf '%s\\0' ${values} | base64 -w0)">"\n`);
    await client.waitForText(/<[A-Za-z0-9+/]+=*>/);
    client.socket.close();
    const encoded = /<([A-Za-z0-9+/]+=*)>/.exec(client.text.replaceAll(/[\r\n]/g, ''))?.[1] ?? '';
    const found = Buffer.from(encoded, 'base64').toString('utf8').split('\0');
    return Object.fromEntries(names.map((name, index) => [name, found[index] ?? '']));
  }
});
