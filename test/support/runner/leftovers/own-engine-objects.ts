import { existsSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

const socketPath = '/var/run/docker.sock';

export interface EngineObject {
  readonly name: string;
  remove(): Promise<unknown>;
}

interface Container {
  readonly Id: string;
  readonly Names: readonly string[];
}

interface Network {
  readonly Id: string;
  readonly Name: string;
}

/** Containers and networks that name the folder in a mount, a label or their command. */
export async function ownEngineObjects(folder: string): Promise<readonly EngineObject[]> {
  if (process.env.DOCKER_HOST || !existsSync(socketPath)) return [];
  const names = (value: unknown) => JSON.stringify(value).includes(folder);
  try {
    const [containers, networks]: [readonly Container[], readonly Network[]] = await Promise.all([
      call('GET', '/containers/json?all=true').then(JSON.parse),
      call('GET', '/networks').then(JSON.parse),
    ]);
    return [
      ...containers.filter(names).map(({ Id, Names }) => ({
        name: `container ${Names[0]?.slice(1) ?? Id}`,
        remove: () => call('DELETE', `/containers/${Id}?force=true&v=true`),
      })),
      ...networks.filter(names).map(({ Id, Name }) => ({
        name: `network ${Name}`,
        remove: () => call('DELETE', `/networks/${Id}`),
      })),
    ];
  } catch {
    return []; // No engine answers.
  }
}

/** Without a client library: each test file would take 0.15 s of a processor to load it. */
async function call(method: string, path: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request({ socketPath, method, path, agent: false }, resolve).once('error', reject).end();
  const answer = await promise;
  const body = await text(answer);
  if (answer.statusCode === undefined || answer.statusCode >= 400)
    throw new Error(`${method} ${path} was answered ${answer.statusCode}: ${body}`);
  return body;
}
