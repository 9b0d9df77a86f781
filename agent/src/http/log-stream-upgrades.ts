import { WebSocketServer } from 'ws';
import type { TokenChecks } from '../auth/token-checks.js';
import type { Config } from '../config/config.js';
import { logQuery } from '../diagnostics/log-query.js';
import { LogStream } from '../diagnostics/log-stream.js';
import type { NodeLogs } from '../diagnostics/node-logs.js';
import type { Log } from '../shared/log.js';
import type { UpgradeRequest, Upgrades } from './upgrades.js';

/** Every stream has readers of its own. */
const maxStreams = 32;

export interface LogStreamParts {
  readonly tokens: TokenChecks;
  readonly nodeLogs: NodeLogs;
  readonly log: Log;
}

/** Turns requests to `/logs/stream` into streams of log entries, for the control plane. */
export class LogStreamUpgrades implements AsyncDisposable {
  private readonly sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: 4_096,
  });
  private readonly query;

  constructor(
    private readonly limits: Config['logs'],
    private readonly parts: LogStreamParts,
  ) {
    this.query = logQuery(limits);
  }

  addTo(upgrades: Upgrades): void {
    upgrades.add('/logs/stream', (upgrade) => this.take(upgrade));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.sockets.clients) client.close(1_001, 'node shuts down');
    this.sockets.close();
  }

  private async take({ request, socket, head, url }: UpgradeRequest): Promise<void> {
    const { tokens, nodeLogs, log } = this.parts;
    await tokens.node(request.headers, url.searchParams.get('token'));
    const query = this.query.parse(Object.fromEntries(url.searchParams));
    this.sockets.handleUpgrade(request, socket, head, (client) => {
      // Also one that is sent away: what it does until it has gone must be heard by somebody.
      const stream = new LogStream(client, this.limits.stream);
      if (this.sockets.clients.size > maxStreams) {
        client.close(1_013, 'too many streams');
        return;
      }
      const from = { catchUp: this.limits.stream.catchUp, signal: stream.signal };
      nodeLogs
        .follow({ ...query, cursor: undefined }, from, (entry) => stream.send(entry))
        .then((unavailable) => {
          for (const { source, reason } of unavailable) stream.fail(`${source}: ${reason}`);
        })
        .catch((error: unknown) => {
          log.error('Log stream failed', { error });
          client.close(1_011, 'the logs cannot be read');
        });
    });
  }
}
