import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { CreateInteraction } from '../../../protocol/interactions.js';
import { interactionSettings } from '../../../test/support/interaction-settings.js';
import { ControlPlane } from '../control-plane/control-plane.js';
import { Log } from '../shared/log.js';
import { openDatabase } from '../store/database.js';
import type { Workspace } from '../workspaces/workspace.js';
import { InteractionReports } from './interaction-reports.js';
import { createRequest } from './report-body.js';
import { ReportStore } from './report-store.js';

const ids = { interactionId: '6f1d3a52-0000-4000-8000-000000000001' };
const waiter = {
  protocolVersion: 1,
  ...ids,
  generation: '6f1d3a52-0000-4000-8000-000000000002',
  runtimeIdentity: 'run-1',
  agentSessionId: 'session-1',
} as const;
const options = [{ id: 'once', kind: 'allow_once' as const, name: 'Allow' }];
const address = '/api/projects/p/workspaces/w/acp-interactions';
const open: AsyncDisposable[] = [];

afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

/** A control plane that answers with the statuses in order, then 200. */
async function plane(...statuses: number[]) {
  const calls: { readonly path: string; readonly body: Record<string, unknown> }[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    calls.push({ path: (request.url ?? '').slice(address.length), body: JSON.parse(text) });
    const body = { status: 'created', deadlineAt: 5, error: 'refused', message: 'The feature is off' };
    response.writeHead(statuses.shift() ?? 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({ [Symbol.asyncDispose]: async () => void server.close().closeAllConnections() });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { calls, url, paths: () => calls.map(({ path }) => path) };
}

function reportsTo(url: string, path = join(mkdtempSync(join(tmpdir(), 'reports-')), 'state.db')) {
  const database = openDatabase(path);
  const reports = new InteractionReports({
    store: new ReportStore(database),
    controlPlane: new ControlPlane(url),
    findWorkspace: () => ({ callbackToken: 'token' }) as Workspace,
    log: new Log({ level: 'error', format: 'json' }, () => undefined),
    now: Date.now,
  });
  open.push(reports);
  const rows = () => database.prepare('SELECT call, detail FROM interaction_reports').all();
  return { reports, path, rows };
}

function opening(deadlineAt = Date.now() + 60_000) {
  const detail = { permissionName: 'Run', options };
  const create = createRequest(waiter, { kind: 'permission', detail, safeSummary: {} }, deadlineAt);
  const place = { workspaceId: 'w', projectId: 'p', waiter, create, delays: interactionSettings };
  return { ...place, onDeadline: vi.fn(), onRefused: vi.fn() };
}

it('creates, repeats the same request, and reports the end', async () => {
  const { calls, url, paths } = await plane(503, 429);
  const { reports, rows } = reportsTo(url);
  const given = opening();

  const report = reports.open(given);
  await vi.waitFor(() => expect(given.onDeadline).toHaveBeenCalledWith(5));
  expect(rows()).toEqual([{ call: 'settle', detail: null }]);
  report.end('expired');
  await vi.waitFor(() => expect(rows()).toEqual([]));

  expect(paths()).toEqual(['', '', '', `/${ids.interactionId}/settle`]);
  expect(CreateInteraction.parse(calls[0]?.body)).toEqual(calls[2]?.body);
  expect(calls[3]?.body).toEqual({ ...waiter, reason: 'expired' });
});

it('does not repeat a refused request, and reports nothing more of it', async () => {
  const { url, paths } = await plane(409);
  const { reports, rows } = reportsTo(url);
  const given = opening();

  const report = reports.open(given);
  await vi.waitFor(() => expect(given.onRefused).toHaveBeenCalledWith('The feature is off'));
  report.end('completed');
  report.completeUrl('link-1');

  await vi.waitFor(() => expect(rows()).toEqual([]));
  expect(paths()).toEqual(['']);
});

it('settles a request whose create may have arrived, also past the deadline', async () => {
  const { url, paths } = await plane(500);
  const { reports, rows } = reportsTo(url);

  const report = reports.open(opening(Date.now()));
  report.end('expired');

  await vi.waitFor(() => expect(rows()).toEqual([]));
  expect(paths()).toEqual(['', `/${ids.interactionId}/settle`]);
});

it('does not settle what the control plane ended itself', async () => {
  const { url, paths } = await plane();
  const { reports, rows } = reportsTo(url);
  const given = opening();

  const report = reports.open(given);
  await vi.waitFor(() => expect(given.onDeadline).toHaveBeenCalled());
  report.end(null);
  report.completeUrl('link-1');

  await vi.waitFor(() => expect(paths()).toEqual(['', `/${ids.interactionId}/complete-url`]));
  await vi.waitFor(() => expect(rows()).toEqual([]));
});

it('settles after a restart of the node agent what the run before left waiting', async () => {
  const down = await plane(...Array(100).fill(503));
  const first = reportsTo(down.url);
  first.reports.open(opening());
  await vi.waitFor(() => expect(down.calls.length).toBeGreaterThan(1));
  await first.reports[Symbol.asyncDispose]();

  const up = await plane();
  const { reports, rows } = reportsTo(up.url, first.path);
  reports.start();

  await vi.waitFor(() => expect(rows()).toEqual([]));
  expect(up.calls).toEqual([
    { path: `/${ids.interactionId}/settle`, body: { ...waiter, reason: 'connection_closed' } },
  ]);
});
