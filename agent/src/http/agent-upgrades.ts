import { type WebSocket, WebSocketServer } from 'ws';
import * as z from 'zod/mini';
import { agentCloseCodes, agentFrameLimits } from '../../../protocol/agent-frames.js';
import { CallerId } from '../../../protocol/agent-sessions.js';
import type { SessionSockets } from '../auth/session-sockets.js';
import type { TokenChecks } from '../auth/token-checks.js';
import { AgentSocket } from '../conversation/agent-socket.js';
import type { AttachedSession, SessionDirectory } from '../conversation/conversation.js';
import type { LiveConversations } from '../conversation/live-conversations.js';
import type { Log } from '../shared/log.js';
import type { Workspaces } from '../workspaces/workspaces.js';
import { admitPerson } from './admit-person.js';
import type { UpgradeRequest, Upgrades } from './upgrades.js';
import { Path } from './workspace-request.js';

export const AgentSocketQuery = z.object({
  /** Without it a session is made. */
  sessionId: z.optional(CallerId),
  idempotencyKey: z.optional(z.string().check(z.minLength(1), z.maxLength(128))),
  worktree: z.optional(Path),
});

export interface AgentUpgradeParts {
  readonly tokens: TokenChecks;
  readonly sessionSockets: SessionSockets;
  readonly workspaces: Pick<Workspaces, 'running'>;
  readonly sessions: SessionDirectory;
  readonly conversations: LiveConversations;
  readonly times: { readonly pingMs: number; readonly pongMs: number };
  readonly log: Log;
}

/** Turns requests to `/agent/ws` into viewers of an agent's session. */
export class AgentUpgrades implements AsyncDisposable {
  private readonly sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: agentFrameLimits.maxMessageBytes,
  });

  constructor(private readonly parts: AgentUpgradeParts) {}

  addTo(upgrades: Upgrades): void {
    upgrades.add('/agent/ws', (upgrade) => this.take(upgrade));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.sockets.clients) client.close(agentCloseCodes.goingAway, 'node shuts down');
    this.sockets.close();
  }

  private async take(upgrade: UpgradeRequest): Promise<void> {
    const { request, socket, head, url } = upgrade;
    const { sessionSockets, sessions } = this.parts;
    const claims = await admitPerson(upgrade, this.parts);
    const query = AgentSocketQuery.parse(Object.fromEntries(url.searchParams));
    const attached = await sessions.attach({
      workspaceId: claims.workspace,
      sessionId: query.sessionId ?? null,
      worktree: query.worktree ?? null,
      idempotencyKey: query.idempotencyKey ?? null,
    });
    this.sockets.handleUpgrade(request, socket, head, (client) => {
      this.watch(client, attached);
      sessionSockets.add(claims.session, client);
    });
  }

  private watch(client: WebSocket, { session, controls }: AttachedSession): void {
    const { conversations, times, log } = this.parts;
    const key = { workspaceId: session.workspaceId, sessionId: session.sessionId };
    // It may have been stopped while the connection was being made.
    if (controls.hostStatus === 'stopped') {
      client.on('error', () => client.terminate());
      const message = 'The session is not running';
      client.send(JSON.stringify({ error: 'session_not_running', message }));
      client.close(agentCloseCodes.notRunning, 'session_not_running');
      return;
    }
    log.info('Agent socket opened', key);
    const conversation = conversations.of(session);
    new AgentSocket(client, { session: key, conversation, controls, times, log });
  }
}
