import { get } from 'node:http';
import { expect } from 'vitest';
import { LiveClient } from '../support/live-client.js';
import type { Person } from '../support/person.js';
import { TerminalClient } from '../support/terminal-client.js';
import { until } from '../support/until.js';

/** The whole walk of a person with one workspace, whatever its node runs it in. */
export interface Walk {
  readonly person: Person;
  readonly workspaceId: string;
  readonly nodeId: string;
}

export async function createWorkspace(person: Person, displayName: string): Promise<Walk> {
  const project = await person.post('/api/projects', {
    name: `Hello ${displayName}`,
    installationId: '5001',
    repository: 'octo/hello',
  });
  const projectId = project.status === 201 ? String(project.body.id ?? project.body.projectId) : undefined;
  const created = await person.post('/api/workspaces', {
    displayName,
    ...(projectId ? { projectId } : { repository: 'octo/hello', installationId: '5001' }),
  });
  expect(created.status, created.text).toBe(201);
  const workspaceId = String(created.body.id ?? created.body.workspaceId);
  using live = await LiveClient.connect(person.url, person.cookieHeader);
  await live.subscribe(workspaceId);
  // On a warm node with cold functions of the socket, some steps end before the subscription.
  const before = await bootLogOf(person, workspaceId);
  const workspace = await untilStatus(person, workspaceId, 'running');
  await until(
    'the live socket reports it',
    () => live.statuses(workspaceId).includes('running') || undefined,
  );
  await until('the live socket sends the boot log from there on', async () => {
    const whole = await bootLogOf(person, workspaceId);
    const reported = [...before, ...live.bootLog(workspaceId)];
    const isReported =
      whole.includes('workspace_ready completed') && whole.every((entry) => reported.includes(entry));
    return isReported || undefined;
  });
  return { person, workspaceId, nodeId: String(workspace.nodeId) };
}

async function bootLogOf(person: Person, workspaceId: string): Promise<readonly string[]> {
  const { body } = await person.get(`/api/workspaces/${workspaceId}/boot-log`);
  const logs: readonly { readonly step: string; readonly status: string }[] = body.logs;
  return logs.map(({ step, status }) => `${step} ${status}`);
}

export async function untilStatus(person: Person, workspaceId: string, wanted: string, timeoutMs = 120_000) {
  return until(
    `workspace ${workspaceId} is ${wanted}`,
    async () => {
      const { status, body, text } = await person.get(`/api/workspaces/${workspaceId}`);
      if (status !== 200) throw new Error(`${status}: ${text}`);
      if (body.status === 'errored' && wanted !== 'errored') throw new Error(`errored: ${body.errorMessage}`);
      if (body.status === wanted) return body;
      throw new Error(`it is ${body.status}`);
    },
    timeoutMs,
  );
}

export async function terminalToken(
  person: Person,
  workspaceId: string,
): Promise<{ token: string; host: string; port: number }> {
  const { status, body, text } = await person.post('/api/terminal/token', { workspaceId });
  expect(status, text).toBe(200);
  const { host } = new URL(body.workspaceUrl);
  expect(host.startsWith(`ws-${workspaceId.toLowerCase()}.localhost:`)).toBe(true);
  return { token: body.token, host, port: Number(new URL(person.url).port) };
}

/** For one navigation to a port. */
export async function previewToken(
  person: Person,
  workspaceId: string,
  port: number,
): Promise<{ token: string; url: string }> {
  const { status, body, text } = await person.post('/api/terminal/preview-token', { workspaceId, port });
  expect(status, text).toBe(200);
  return { token: body.token, url: body.url };
}

/** As the owner, at the workspace's own host, whatever resolves that name here. */
export async function getAtWorkspace(person: Person, workspaceId: string, path: string) {
  const { token, host, port } = await terminalToken(person, workspaceId);
  const headers = { host, authorization: `Bearer ${token}` };
  return new Promise<{ readonly status: number | undefined; readonly text: string }>((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers, agent: false }, async (answer) => {
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk);
      resolve({ status: answer.statusCode, text: Buffer.concat(chunks).toString() });
    }).once('error', reject);
  });
}

export async function openTerminal(
  person: Person,
  workspaceId: string,
  sessionId: string,
): Promise<TerminalClient> {
  const { token, host, port } = await terminalToken(person, workspaceId);
  const terminal = new TerminalClient(sessionId, { host, port });
  await terminal.connect(token);
  return terminal;
}

/** Runs a command whose output ends with a word that the echo of the command does not hold. */
export async function run(terminal: TerminalClient, command: string): Promise<string> {
  const from = terminal.text.length;
  terminal.type(`${command}; echo DO""NE\r`);
  return until(`the output of ${command}`, () => {
    const text = terminal.text.slice(from);
    return text.includes('DONE') ? text : undefined;
  });
}

const lines = 200_000;

/** More than a megabyte that anybody can compute: numbers, with the line ends of a terminal. */
export function numbers(): string {
  return Array.from({ length: lines }, (_, index) => `${index + 1}\r\n`).join('');
}

/** Starts it, cuts the socket in its midst twice, and returns all that was received. */
export async function runThroughDrops(
  person: Person,
  workspaceId: string,
  terminal: TerminalClient,
): Promise<string> {
  const from = terminal.text.length;
  terminal.type(`echo BE""GIN; seq 1 ${lines}; echo E""ND\r`);
  for (const atLeast of [200_000, 700_000]) {
    await until(`${atLeast} bytes`, () => terminal.received - from > atLeast || undefined);
    terminal.drop();
    const { token } = await terminalToken(person, workspaceId);
    await terminal.connect(token);
    const { data } = await terminal.reattach();
    expect(data.lost).toBe(0);
  }
  return until('the end of the output', () => {
    const text = terminal.text.slice(from);
    return /END\r\n/.test(text) ? text : undefined;
  });
}
