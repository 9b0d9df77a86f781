import { once } from 'node:events';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { listenThroughShortPath } from '../../node/listen-through-short-path.js';
import { type BuildKit, buildWithBuildKit } from '../buildkit/buildkit-build.js';
import { BuildKitNeeded, BuildRefused } from './dockerfile-check.js';
import type { RequestEngine } from './engine-address.js';
import { sendBuild } from './engine-build.js';
import { type AllowedHosts, registryObstacle } from './engine-hosts.js';
import {
  type BuildVerdict,
  decide,
  type EngineScope,
  execIdOf,
  readBody,
  readExecBody,
  type Verdict,
} from './engine-rules.js';
import { ArchiveRefused } from './tar-entry.js';

const maxConnections = 64;
const maxUpgradeBytes = 16 * 1024;
/** Request headers that reach the engine; registry logins and all others are dropped. */
const passedHeaders = ['accept', 'content-type', 'content-length', 'transfer-encoding'];

export interface EngineProxyOptions {
  readonly folder: string;
  readonly scope: Omit<EngineScope, 'execs'>;
  /** Hosts at private addresses that the engine may contact for builds. */
  readonly allowedHosts: AllowedHosts;
  readonly request: RequestEngine;
  /** Builds all images of this run; null: the classic builder does. */
  readonly buildKit: BuildKit | null;
  readonly onRefused: (reason: string) => void;
  /** Called when a Dockerfile was refused because it needs BuildKit. */
  readonly onBuildKitNeeded: (reason: string) => void;
}

/**
 * A socket with the part of the engine's API that one run of a tool needs; closed when the run
 * ends.
 */
export class EngineProxy implements AsyncDisposable {
  private readonly execs = new Set<string>();
  private readonly sockets = new Set<Duplex>();
  private readonly server = createServer({ requestTimeout: 0 }, (request, response) => {
    this.serve(request, response).catch(() => response.destroy());
  });

  private constructor(private readonly options: EngineProxyOptions) {}

  /** Listens at `<folder>/engine.sock`. */
  static async open(options: EngineProxyOptions): Promise<EngineProxy> {
    const proxy = new EngineProxy(options);
    const { server, sockets } = proxy;
    server.maxConnections = maxConnections;
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      socket.on('error', () => undefined);
    });
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      proxy.upgrade(request, socket, head).catch(() => socket.destroy());
    });
    await mkdir(options.folder, { recursive: true });
    // Independent of the agent's umask.
    await chmod(options.folder, 0o755);
    const path = join(options.folder, 'engine.sock');
    await rm(path, { force: true });
    await listenThroughShortPath(server, options.folder, 'engine.sock');
    // Another user than the agent connects; no other user can enter the folder's parent.
    await chmod(path, 0o666);
    return proxy;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private decide({ method = '', url = '' }: IncomingMessage): Verdict {
    const verdict = decide(method, url, { ...this.options.scope, execs: this.execs });
    if (verdict.kind === 'refuse') this.options.onRefused(verdict.reason);
    return verdict;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const verdict = this.decide(request);
    if (verdict.kind === 'refuse') return answer(response, 403, { message: verdict.reason });
    if (verdict.kind === 'answer') return answer(response, 200, verdict.body);
    if (verdict.kind === 'createExec') return this.createExec(verdict.path, request, response);
    if (verdict.kind === 'build') return this.build(verdict, request, response);
    const { allowedHosts } = this.options;
    const obstacle = verdict.kind === 'pull' ? await registryObstacle(verdict.image, allowedHosts) : null;
    if (obstacle !== null) return this.refuse(obstacle, response);
    const sent = this.send(request, verdict.path);
    const taken = responseOf(sent);
    // The engine may answer before it has read everything.
    pipeline(request, sent).catch(() => sent.destroy());
    await passOn(await taken, response);
  }

  private async build(verdict: BuildVerdict, request: IncomingMessage, response: ServerResponse) {
    const { scope, allowedHosts, request: engine, buildKit, folder } = this.options;
    const build = { ...verdict, workspaceId: scope.workspaceId, allowedHosts, request: engine };
    try {
      if (buildKit) await buildWithBuildKit(request, response, { ...build, buildKit, folder });
      else await passOn(await sendBuild(request, build), response);
    } catch (error) {
      if (!(error instanceof BuildRefused || error instanceof ArchiveRefused)) throw error;
      if (error instanceof BuildKitNeeded) this.options.onBuildKitNeeded(error.message);
      this.refuse(error.message, response);
    }
  }

  private refuse(reason: string, response: ServerResponse): void {
    this.options.onRefused(reason);
    answer(response, 403, { message: reason });
  }

  private async createExec(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readExecBody(request).catch(() => null);
    if (body === null) return answer(response, 400, { message: 'invalid request' });
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = this.options.request({ method: 'POST', path, headers });
    const taken = responseOf(sent);
    sent.end(body);
    const from = await taken;
    const text = await readBody(from);
    if (from.statusCode === 201) this.execs.add(execIdOf(text));
    response.writeHead(from.statusCode ?? 502, { 'content-type': 'application/json' }).end(text);
  }

  /** Connections that switch protocols: input and output of programs. */
  private async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const verdict = this.decide(request);
    if (verdict.kind !== 'forward') {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const sent = this.send(request, verdict.path, ['upgrade', 'connection']);
    sent.once('error', () => socket.destroy());
    sent.once('response', (from) => {
      socket.write(headOf(from));
      from.pipe(socket);
    });
    sent.once('upgrade', (from, engine, first) => {
      this.sockets.add(engine);
      engine.once('close', () => this.sockets.delete(engine));
      socket.write(headOf(from));
      if (first.length > 0) socket.write(first);
      for (const way of [pipeline(socket, engine), pipeline(engine, socket)]) way.catch(() => undefined);
    });
    sent.end(await bodyOfUpgrade(request, socket, head));
  }

  private send({ method, headers }: IncomingMessage, path: string, more: readonly string[] = []) {
    const wanted = [...passedHeaders, ...more];
    const passed = Object.entries(headers).filter(([name]) => wanted.includes(name));
    return this.options.request({ method, path, headers: Object.fromEntries(passed) });
  }
}

/** The body follows the head, before the protocol switch; later bytes stay in the socket. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch for each form of the input
async function bodyOfUpgrade({ headers }: IncomingMessage, socket: Duplex, head: Buffer): Promise<Buffer> {
  const length = Math.min(Number(headers['content-length'] ?? 0) || 0, maxUpgradeBytes);
  if (head.length > 0) socket.unshift(head);
  if (length === 0) return Buffer.alloc(0);
  for (;;) {
    const body: Buffer | null = socket.read(length);
    if (body) return body;
    if (socket.destroyed || socket.readableEnded) return Buffer.alloc(0);
    await once(socket, 'readable');
  }
}

async function passOn(from: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(from.statusCode ?? 502, from.headers);
  await pipeline(from, response);
}

function responseOf(sent: ReturnType<RequestEngine>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
  });
}

function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : [],
  );
  return [`HTTP/1.1 ${statusCode} ${statusMessage}`, ...lines, '', ''].join('\r\n');
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(body));
}
