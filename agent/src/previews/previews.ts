import type { SessionEnds } from '../auth/session-ends.js';
import type { Config } from '../config/config.js';
import type { WorkspaceSockets } from '../ports/workspace-sockets.js';
import type { WorkspaceUse } from '../workspaces/workspace-use.js';
import { OpenExchanges } from './exchange.js';
import { Forwarder } from './forwarder.js';
import { PlatformCredentials } from './platform-credentials.js';
import { PreviewSessions } from './preview-sessions.js';
import { Services } from './services.js';

export interface PreviewDeps {
  readonly sockets: Pick<WorkspaceSockets, 'dial'>;
  readonly ends: SessionEnds;
  readonly use: Pick<WorkspaceUse, 'mark'>;
}

/** Connects clients with the services of their workspaces. */
export class Previews implements AsyncDisposable {
  readonly sessions: PreviewSessions;
  readonly credentials: PlatformCredentials;
  readonly forwarder: Forwarder;
  private readonly services: Services;
  private readonly exchanges: OpenExchanges;

  constructor({ controlPlaneUrl, ports }: Config, { sockets, ends, use }: PreviewDeps) {
    const { connectTimeoutMs, headerTimeoutMs } = ports;
    this.sessions = new PreviewSessions(ports.sessions, ends, Date.now);
    this.credentials = new PlatformCredentials(controlPlaneUrl);
    this.services = new Services((workspaceId, port) => sockets.dial(workspaceId, port, connectTimeoutMs));
    this.exchanges = new OpenExchanges(ends);
    const { services, exchanges, credentials } = this;
    this.forwarder = new Forwarder({ services, exchanges, credentials, headerTimeoutMs, use });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.exchanges[Symbol.asyncDispose]();
    await this.services[Symbol.asyncDispose]();
  }
}
