import { WebSocketServer } from 'ws';
import { terminalCloseCodes, terminalLimits } from '../../../protocol/terminal.js';
import type { SessionSockets } from '../auth/session-sockets.js';
import type { TokenChecks } from '../auth/token-checks.js';
import type { Log } from '../shared/log.js';
import { SingleTerminalSocket } from '../terminals/single-terminal-socket.js';
import { TerminalSocket } from '../terminals/terminal-socket.js';
import type { Terminals } from '../terminals/terminals.js';
import type { Workspaces } from '../workspaces/workspaces.js';
import { admitPerson } from './admit-person.js';
import type { UpgradeRequest, Upgrades } from './upgrades.js';

const multiPath = '/terminal/ws/multi';
const singlePath = '/terminal/ws';

export interface TerminalUpgradeParts {
  readonly tokens: TokenChecks;
  readonly sessionSockets: SessionSockets;
  readonly workspaces: Workspaces;
  readonly terminals: Terminals;
  readonly log: Log;
}

/** Turns requests to `/terminal/ws/multi` and `/terminal/ws` into terminal sockets. */
export class TerminalUpgrades implements AsyncDisposable {
  private readonly sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: terminalLimits.maxMessageBytes,
  });

  constructor(private readonly parts: TerminalUpgradeParts) {}

  addTo(upgrades: Upgrades): void {
    for (const path of [multiPath, singlePath]) upgrades.add(path, (upgrade) => this.take(upgrade));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.sockets.clients) client.close(terminalCloseCodes.goingAway, 'node shuts down');
    this.sockets.close();
  }

  private async take(upgrade: UpgradeRequest): Promise<void> {
    const { request, socket, head, url } = upgrade;
    const { sessionSockets, terminals, log } = this.parts;
    const claims = await admitPerson(upgrade, this.parts);
    const owner = { workspaceId: claims.workspace, userId: claims.sub };
    this.sockets.handleUpgrade(request, socket, head, (client) => {
      log.info('Terminal socket opened', owner);
      if (url.pathname === multiPath)
        new TerminalSocket({ socket: client, stream: socket }, owner, terminals, log);
      else void new SingleTerminalSocket(client, owner, terminals, log).start(sizeOf(url));
      sessionSockets.add(claims.session, client);
    });
  }
}

/** What is no number becomes the default. */
function sizeOf({ searchParams }: URL) {
  return { rows: Number(searchParams.get('rows')), cols: Number(searchParams.get('cols')) };
}
