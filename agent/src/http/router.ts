import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import * as z from 'zod/mini';
import { selectProtocol } from '../../../protocol/socket-token.js';
import type { AgentContract, ParameterOf } from '../../api/contract.js';
import { pathParameters } from '../../api/parameters.js';
import type { SessionSockets } from '../auth/session-sockets.js';
import { AgentError } from '../errors.js';
import type { Workspace } from '../workspaces/workspace.js';
import {
  type AuthContext,
  type AuthDeps,
  type AuthRequest,
  authenticate,
  type CheckedToken,
} from './auth-context.js';
import { forwardRoute } from './forward-route.js';
import type { TakeUpgrade, Upgrades } from './upgrades.js';

const goingAway = 1_001;

type CheckedContract = AgentContract & { readonly token: CheckedToken };
type RouteContract = CheckedContract & { readonly method: Exclude<AgentContract['method'], 'any'> };
type SocketContract = CheckedContract & { readonly responses: { readonly 101: null } };
type ForwardContract = AgentContract & { readonly method: 'any' };

type OutputOf<Part> = Part extends z.ZodMiniType ? z.output<Part> : undefined;
type PartOf<C, Name extends string> = C extends { readonly [Key in Name]: infer Part } ? Part : undefined;

/** An authenticated request, parsed by its contract. */
export interface Call<C extends AgentContract> {
  readonly auth: AuthContext;
  readonly params: {
    readonly [Name in ParameterOf<C> & keyof typeof pathParameters]: z.output<(typeof pathParameters)[Name]>;
  };
  readonly query: OutputOf<PartOf<C, 'query'>>;
  readonly body: OutputOf<PartOf<C, 'body'>>;
  readonly workspace: PartOf<C, 'workspace'> extends undefined ? undefined : Workspace;
}

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

type JsonResponse<Responses> = {
  [Status in keyof Responses & number]: Responses[Status] extends z.ZodMiniType
    ? { readonly status: Status; readonly body: DeepReadonly<z.input<Responses[Status]>> }
    : never;
}[keyof Responses & number];

interface Http {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

interface Sendable {
  readonly status: number;
  readonly body: unknown;
}

/** A response of the contract, or the reply on which the handler has sent a stream. */
type ResponseOf<C extends AgentContract> = (JsonResponse<C['responses']> & Sendable) | FastifyReply;

export type Handler<C extends AgentContract, Out> = (call: Call<C>, http: Http) => Promise<Out> | Out;

/** Runs before the handshake. Returns the handler of the open socket. */
type Accept<C extends AgentContract> = (call: Call<C>) => Promise<OpenSocket> | OpenSocket;
type OpenSocket = (socket: WebSocket, stream: Duplex) => void;

export interface RouterDeps extends AuthDeps {
  readonly app: FastifyInstance;
  readonly upgrades: Upgrades;
  readonly sessionSockets: Pick<SessionSockets, 'add'>;
}

/** Serves contracts: authenticates the caller, parses the request, and calls the handler. */
export class Router implements AsyncDisposable {
  private readonly sockets: WebSocketServer[] = [];

  constructor(private readonly deps: RouterDeps) {}

  route<const C extends RouteContract, const Out extends ResponseOf<C>>(
    contract: C,
    handle: Handler<C, Out>,
  ): void {
    const { method, path, body, maxBodyBytes } = contract;
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const call = await this.admit(contract, request);
      const response: Sendable | FastifyReply = await handle(call, { request, reply });
      return 'send' in response ? response : reply.status(response.status).send(response.body);
    };
    const limits = maxBodyBytes === undefined ? {} : { bodyLimit: maxBodyBytes };
    const options = { method: method.toUpperCase(), url: fastifyPath(path), ...limits };
    if (typeof body === 'string') addStreamedRoute(this.deps.app, body, { ...options, handler });
    else this.deps.app.route({ ...options, handler });
  }

  /** The socket closes when the sign-in session of its caller ends. */
  socket<const C extends SocketContract>(contract: C, maxPayload: number, accept: Accept<C>): void {
    const { upgrades, sessionSockets } = this.deps;
    const server = new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      maxPayload,
      handleProtocols: selectProtocol,
    });
    this.sockets.push(server);
    this.deps.app.get(contract.path, refusePlainRequest);
    upgrades.add(contract.path, async ({ request, socket, head, url }) => {
      const call = await this.admit(contract, socketRequest(request, url));
      const open = await accept(call);
      server.handleUpgrade(request, socket, head, (client) => {
        open(client, socket);
        if (call.auth.sessionHash !== null) sessionSockets.add(call.auth.sessionHash, client);
      });
    });
  }

  /** Requests go to a service of a workspace; the handlers authenticate them. */
  forward(
    { path }: ForwardContract,
    serve: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
    upgrade: TakeUpgrade,
  ): void {
    this.deps.app.all(fastifyPath(path), forwardRoute(serve));
    const pattern = path.replace(/\/\{path\}$/, '(?:/|$)').replace(/\{\w+\}/g, '[^/]+');
    this.deps.upgrades.add(new RegExp(`^${pattern}`), upgrade);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.sockets) {
      for (const client of server.clients) client.close(goingAway, 'node shuts down');
      server.close();
    }
  }

  /** Authentication comes before parsing: a stranger learns nothing about the form of requests. */
  private async admit<C extends CheckedContract>(contract: C, request: AuthRequest): Promise<Call<C>> {
    const auth = await authenticate[contract.token](request, contract, this.deps);
    const call = {
      auth,
      workspace: this.workspaceOf(contract, auth),
      params: paramsSchema(contract.path).parse(request.params),
      query: contract.query?.parse(request.query),
      body: typeof contract.body === 'string' ? undefined : contract.body?.parse(request.body ?? undefined),
    };
    // The contract's schemas produce these types; TypeScript cannot infer it.
    return call as unknown as Call<C>;
  }

  private workspaceOf({ workspace: state }: AgentContract, { workspaceId }: AuthContext) {
    const { workspaces } = this.deps;
    if (state === undefined || workspaceId === null) return undefined;
    if (state === 'running') return workspaces.running(workspaceId);
    const workspace = workspaces.find(workspaceId);
    if (!workspace) throw new AgentError('not_found', 'This node has no such workspace');
    return workspace;
  }
}

interface RouteOptions {
  readonly method: string;
  readonly url: string;
  readonly handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
}

/** Only this route takes bodies of this media type, and reads them as they arrive. */
function addStreamedRoute(app: FastifyInstance, mediaType: string, options: RouteOptions): void {
  app.register(async (scope) => {
    scope.addContentTypeParser(mediaType, (_, __, done) => done(null));
    scope.route({
      ...options,
      config: { isStreamed: true },
      handler: async (request, reply) => {
        try {
          return await options.handler(request, reply);
        } catch (error) {
          // The rest of the body is read and dropped, so that the client reads the response.
          request.raw.resume();
          reply.header('connection', 'close');
          throw error;
        }
      },
    });
  });
}

/** An upgrade never reaches the routes, so the request is not a handshake. */
async function refusePlainRequest(): Promise<never> {
  throw new AgentError('invalid_request', 'Open a socket with the Upgrade header websocket');
}

function socketRequest({ headers }: IncomingMessage, { searchParams }: URL): AuthRequest {
  return { headers, params: {}, query: Object.fromEntries(searchParams), body: undefined };
}

function fastifyPath(path: string): string {
  return path.replace(/\{path\}$/, '*').replace(/\{(\w+)\}/g, ':$1');
}

const paramsSchemas = new Map<string, z.ZodMiniType>();

/** Many paths have the same parameters and share one schema. */
function paramsSchema(path: string): z.ZodMiniType {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const key = names.join();
  const schema =
    paramsSchemas.get(key) ??
    z.object(Object.fromEntries(Object.entries(pathParameters).filter(([name]) => names.includes(name))));
  paramsSchemas.set(key, schema);
  return schema;
}
