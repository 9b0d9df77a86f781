import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { terminalCloseCodes, terminalLimits } from '../../../protocol/terminal.js';
import type { TokenChecks } from '../auth/token-checks.js';
import { AgentError } from '../errors.js';
import type { Log } from '../log/log.js';
import { SingleTerminalSocket } from '../terminals/single-terminal-socket.js';
import { TerminalSocket } from '../terminals/terminal-socket.js';
import type { Terminals } from '../terminals/terminals.js';
import type { Workspaces } from '../workspaces/workspaces.js';
import { describeError } from './server.js';

const multiPath = '/terminal/ws/multi';
const singlePath = '/terminal/ws';

/** Turns requests to `/terminal/ws/multi` and `/terminal/ws` into terminal sockets. */
export class TerminalUpgrades implements AsyncDisposable {
  private readonly sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: terminalLimits.maxMessageBytes,
  });

  constructor(
    private readonly tokens: TokenChecks,
    private readonly workspaces: Workspaces,
    private readonly terminals: Terminals,
    private readonly log: Log,
  ) {}

  /** Answers all upgrade requests of the server. */
  serve(server: Server): void {
    server.on('upgrade', (request, socket, head) => {
      socket.on('error', () => socket.destroy());
      this.upgrade(request, socket, head).catch((error: unknown) => {
        const { status, body } = describeError(error);
        if (status === 500) this.log.error('Upgrade failed', { error });
        refuse(socket, status, JSON.stringify(body));
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.sockets.clients) client.close(terminalCloseCodes.goingAway, 'node shuts down');
    this.sockets.close();
  }

  private async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const url = new URL(request.url ?? '/', 'https://node');
    if (url.pathname !== multiPath && url.pathname !== singlePath)
      throw new AgentError('not_found', 'There is no such socket');
    const claims = await this.tokens.terminal(request.headers, url.searchParams.get('token'));
    const workspace = this.workspaces.running(claims.workspace);
    if (workspace.generation !== claims.generation)
      throw new AgentError('forbidden', 'The token is for another generation of the workspace');
    const owner = { workspaceId: claims.workspace, userId: claims.sub };
    this.sockets.handleUpgrade(request, socket, head, (client) => {
      this.log.info('Terminal socket opened', owner);
      if (url.pathname === multiPath) new TerminalSocket(client, owner, this.terminals, this.log);
      else void new SingleTerminalSocket(client, owner, this.terminals, this.log).start(sizeOf(url));
    });
  }
}

/** What is no number becomes the default. */
function sizeOf({ searchParams }: URL) {
  return { rows: Number(searchParams.get('rows')), cols: Number(searchParams.get('cols')) };
}

function refuse(socket: Duplex, status: number, body: string): void {
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
