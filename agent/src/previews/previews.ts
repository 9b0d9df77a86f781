import type { SessionEnds } from '../auth/session-ends.js';
import type { Config } from '../config/config.js';
import type { WorkspaceSockets } from '../ports/workspace-sockets.js';
import { Exchanges } from './exchanges.js';
import { Forwarder } from './forwarder.js';
import { OwnCredentials } from './own-credentials.js';
import { PreviewSessions } from './preview-sessions.js';
import { Services } from './services.js';

export interface PreviewParts {
  readonly sockets: Pick<WorkspaceSockets, 'dial'>;
  readonly ends: SessionEnds;
}

/** The way of people to the services of their workspaces. */
export class Previews implements AsyncDisposable {
  readonly sessions: PreviewSessions;
  readonly credentials: OwnCredentials;
  readonly forwarder: Forwarder;
  private readonly services: Services;
  private readonly exchanges: Exchanges;

  constructor({ controlPlaneUrl, ports }: Config, { sockets, ends }: PreviewParts) {
    const { connectTimeoutMs, headerTimeoutMs } = ports;
    this.sessions = new PreviewSessions(ports.sessions, ends, Date.now);
    this.credentials = new OwnCredentials(controlPlaneUrl);
    this.services = new Services((workspaceId, port) => sockets.dial(workspaceId, port, connectTimeoutMs));
    this.exchanges = new Exchanges(ends);
    const { services, exchanges, credentials } = this;
    this.forwarder = new Forwarder({ services, exchanges, credentials, headerTimeoutMs });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.exchanges[Symbol.asyncDispose]();
    await this.services[Symbol.asyncDispose]();
  }
}
