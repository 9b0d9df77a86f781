import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * How the engine answers a stop: not at all, with an error while the container runs on, or with an
 * error after the container has stopped.
 */
export type StopFault = 'silent' | 'refused' | 'late';

const engineSocket = '/var/run/docker.sock';
const stop = /^POST \S*\/containers\/([\w.-]+)\/stop/;
const failure =
  'HTTP/1.1 500 Internal Server Error\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';

/** The engine as one agent sees it. */
export class EngineDoor implements AsyncDisposable {
  /** Of the next stops, one each. */
  readonly faults: StopFault[] = [];
  /** Is asked before each stop of a container. */
  onStop: (container: string) => Promise<void> = async () => undefined;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async open(path: string): Promise<EngineDoor> {
    const server = createServer({ allowHalfOpen: true });
    const door = new EngineDoor(server);
    server.on('connection', (client) => door.connect(client));
    await new Promise<void>((resolve) => server.listen(path, resolve));
    return door;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private connect(client: Socket): void {
    const engine = connect({ path: engineSocket, allowHalfOpen: true });
    for (const socket of [client, engine]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
    }
    let fails = false;
    let order = Promise.resolve();
    client.on('data', (chunk: Buffer) => {
      order = order.then(async () => {
        const [, id] = stop.exec(chunk.toString('latin1', 0, 200)) ?? [];
        if (id !== undefined) await this.onStop(id);
        const fault = id === undefined ? undefined : this.faults.shift();
        fails = fault === 'late';
        if (fault === 'refused') client.write(failure);
        else if (fault !== 'silent') engine.write(chunk);
      });
    });
    engine.on('data', (chunk: Buffer) => client.write(fails ? failure : chunk));
    // What is still to be sent is sent: a cut would be a fault of its own.
    for (const event of ['end', 'close'] as const) {
      client.on(event, () => void order.then(() => engine.end()));
      engine.on(event, () => client.end());
    }
  }
}
