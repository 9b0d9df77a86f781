import { mkdtempSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ulid } from 'ulid';
import WebSocket from 'ws';
import { KeySet } from '../../../agent/src/auth/key-set.js';
import { SessionEnds } from '../../../agent/src/auth/session-ends.js';
import { SessionSockets } from '../../../agent/src/auth/session-sockets.js';
import { TokenChecks } from '../../../agent/src/auth/token-checks.js';
import { composeAgentSessions } from '../../../agent/src/composition/agent-sessions.js';
import { composeConversations } from '../../../agent/src/composition/conversations.js';
import { readConfig } from '../../../agent/src/config/config.js';
import { ControlPlane } from '../../../agent/src/control-plane/control-plane.js';
import { NodeToken } from '../../../agent/src/control-plane/node-token.js';
import { decidePermission } from '../../../agent/src/harness/acp/permission-policy.js';
import { addAgentSocket } from '../../../agent/src/http/agent-session-routes.js';
import { Router } from '../../../agent/src/http/router.js';
import { createServer } from '../../../agent/src/http/server.js';
import { Upgrades } from '../../../agent/src/http/upgrades.js';
import { InteractionReports } from '../../../agent/src/interactions/interaction-reports.js';
import { ReportStore } from '../../../agent/src/interactions/report-store.js';
import { loadCertificate } from '../../../agent/src/node/certificate.js';
import { Log } from '../../../agent/src/shared/log.js';
import { openDatabase } from '../../../agent/src/store/database.js';
import { EventStore } from '../../../agent/src/store/event-store.js';
import { TabStore } from '../../../agent/src/store/tab-store.js';
import { WorkspaceStore } from '../../../agent/src/store/workspace-store.js';
import { StubHarnesses } from '../../support/stub-harness.js';
import { FakeControlPlane, nodeId } from './fake-control-plane.js';

/**
 * The agent's own server, sessions, conversations, outbox and database in this process, over real
 * TLS sockets and with a control plane to call; only the harness is one in memory, so that a test
 * decides when it says what.
 */
export async function startAgentSocketServer(environment: Readonly<Record<string, string>> = {}) {
  const fake = await FakeControlPlane.start();
  const folder = mkdtempSync(join(tmpdir(), 'agent-socket-'));
  const config = readConfig({
    NODE_ID: nodeId,
    CONTROL_PLANE_URL: fake.url,
    MSG_BATCH_MAX_WAIT: '50ms',
    ACP_HARNESS_ACTIVITY_REPORT_DEBOUNCE: '10ms',
    VM_AGENT_STATE_DIR: folder,
    ...environment,
  });
  const log = new Log({ level: 'error', format: 'json' }, (line) => console.error(line));
  const now = () => new Date();
  const database = openDatabase(join(folder, 'state.db'));
  const store = new WorkspaceStore(database, now);
  const workspaceId = ulid();
  store.begin({
    workspaceId,
    generation: 1,
    callbackToken: await fake.workspaceCallback(workspaceId),
    settings: { repository: null, cloneUrl: null, branch: null },
  });
  store.move({ workspaceId, generation: 1 }, { from: ['creating'], to: 'running' });
  const running = (id: string) => {
    const found = store.find(id);
    if (!found) throw new Error('No such workspace');
    return found;
  };
  const workspaces = { find: (id: string) => store.find(id), running };
  const events = new EventStore(join(folder, 'events.db'), { nodeId, now, log });
  const token = new NodeToken(join(folder, 'token'), await fake.sign({ aud: 'node-callback', sub: nodeId }));
  await token.load(now());
  const controlPlane = new ControlPlane(fake.url);
  const reported = composeConversations(config, {
    database,
    store,
    controlPlane,
    token,
    events,
    tools: { update: () => {}, turnEnded: () => {} },
    log,
  });
  const harnesses = new StubHarnesses();
  const interactionReports = new InteractionReports({
    store: new ReportStore(database),
    controlPlane,
    findWorkspace: workspaces.find,
    log,
    now: Date.now,
  });
  const composed = composeAgentSessions({
    database,
    harnesses,
    conversations: reported.conversations,
    taskWork: { save: async () => null },
    events,
    log,
    decidePermission,
    interactionReports,
    tabs: new TabStore(database, now),
    workspaces,
    worktreeFolder: async (_, path) => path,
    limits: {
      retries: { maxRetries: 1, initialBackoffMs: 1, maxBackoffMs: 1 },
      restarts: {
        maxAttempts: 3,
        decayMs: 60_000,
        pauseMs: 1,
        attemptTimeoutMs: 5_000,
        firstStartTimeoutMs: 30_000,
      },
      cancelGraceMs: 20,
      promptTimeoutMs: 0,
      taskPromptTimeoutMs: 0,
      stopTimeoutMs: 100,
      drainMs: 20,
    },
    rolloverLimits: { graceMs: 20, maxGraceMs: 100, timeoutMs: 2_000 },
    now: Date.now,
  });
  composed.records.reconcileOnStart();
  reported.deliveries.start();
  reported.projectHeartbeats.start();

  const own = { certPath: join(folder, 'node.pem'), keyPath: join(folder, 'node.key') };
  const certificate = await loadCertificate({ tls: null, own, nodeId });
  const app = createServer({ nodeId, certificate }, config.http, log);
  const keys = new KeySet(`${fake.url}/.well-known/jwks.json`, 5_000, log);
  const ends = new SessionEnds(database, now);
  const upgrades = new Upgrades(log);
  const router = new Router({
    app,
    upgrades,
    tokens: new TokenChecks({ issuer: fake.url, nodeId }, keys, ends),
    sessionSockets: new SessionSockets(ends),
    workspaces,
  });
  addAgentSocket(router, {
    sessions: composed.sessions,
    conversations: reported.conversations,
    times: config.conversations.viewers,
    log,
  });
  upgrades.serve(app.server, Promise.resolve());
  await app.listen({ host: '127.0.0.1', port: 0 });
  // A listening TCP server has such an address.
  const { port } = app.server.address() as AddressInfo;

  return {
    ...composed,
    ...reported,
    fake,
    workspaceId,
    store,
    events,
    ends,
    harnesses,
    tabs: new TabStore(database, now),
    address: { port, ca: certificate.certificatePem },
    connect: async (query: string, token?: string) => {
      const bearer = token ?? (await fake.terminal(workspaceId));
      const url = `wss://127.0.0.1:${port}/agent/ws?token=${bearer}&${query}`;
      return new WebSocket(url, { ca: certificate.certificatePem });
    },
    [Symbol.asyncDispose]: async () => {
      await router[Symbol.asyncDispose]();
      await composed.sessions[Symbol.asyncDispose]();
      await reported.projectHeartbeats[Symbol.asyncDispose]();
      await reported.conversations[Symbol.asyncDispose]();
      await reported.deliveries[Symbol.asyncDispose]();
      await keys[Symbol.asyncDispose]();
      await app.close();
      events[Symbol.dispose]();
      database.close();
      await fake[Symbol.asyncDispose]();
    },
  };
}

export type AgentSocketServer = Awaited<ReturnType<typeof startAgentSocketServer>>;
