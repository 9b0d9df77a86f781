import { Agent, type ClientRequest, type ClientRequestArgs, request } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WorkspaceSockets } from '../ports/workspace-sockets.js';
import type { HeaderPair } from './headers.js';

export interface ServiceRequest {
  readonly workspaceId: string;
  readonly port: number;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly HeaderPair[];
  /** A kept connection may be closed; only repeatable requests may use one. */
  readonly mayReuse: boolean;
}

/** Shorter than the usual idle timeout of services. */
const idleMs = 4_000;
const maxIdle = 16;

/**
 * HTTP connections to services of workspaces, each to a port that was verified to be the
 * workspace's.
 */
export class Services implements AsyncDisposable {
  private readonly kept: ServiceAgent;
  private readonly fresh: ServiceAgent;

  constructor(dial: (workspaceId: string, port: number) => ReturnType<WorkspaceSockets['dial']>) {
    this.kept = new ServiceAgent(dial, true);
    this.fresh = new ServiceAgent(dial, false);
  }

  /** Starts a request without its body. */
  begin({ workspaceId, port, method, path, headers, mayReuse }: ServiceRequest): ClientRequest {
    return request({
      agent: mayReuse ? this.kept : this.fresh,
      host: workspaceId,
      port,
      method,
      path,
      headers: headers.flat(),
      setHost: false,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kept.destroy();
    this.fresh.destroy();
  }
}

class ServiceAgent extends Agent {
  constructor(
    private readonly dial: (workspaceId: string, port: number) => ReturnType<WorkspaceSockets['dial']>,
    keepAlive: boolean,
  ) {
    super({ keepAlive, maxFreeSockets: maxIdle, timeout: idleMs });
  }

  /** The host is a workspace id: it is dialled, not resolved. */
  override createConnection(
    options: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): null {
    this.dial(String(options.host), Number(options.port)).then(
      (socket) => callback?.(null, socket),
      // The types require a stream also with an error.
      (error: Error) => (callback as ((error: Error) => void) | undefined)?.(error),
    );
    return null;
  }
}
