import type { IncomingMessage } from 'node:http';
import * as z from 'zod/mini';
import { type BuildScope, buildArguments, buildQuery, type QueryRefused } from './build-query.js';
import { isOwnName, isReadableName } from './image-name.js';

/** What one run of a tool may do with the engine. */
export interface EngineScope extends BuildScope {
  /** The only container that it may inspect and run programs in. */
  readonly containerId: string | null;
  /** Programs that the run has started in its container. */
  readonly execs: ReadonlySet<string>;
}

export type Verdict =
  | { readonly kind: 'forward' | 'createExec'; readonly path: string }
  | { readonly kind: 'pull'; readonly path: string; readonly image: string }
  | BuildVerdict
  | { readonly kind: 'answer'; readonly body: unknown }
  | { readonly kind: 'refuse'; readonly reason: string };

/** A build whose Dockerfile must be checked. */
export interface BuildVerdict {
  readonly kind: 'build';
  readonly path: string;
  /** The checked parameters. */
  readonly query: URLSearchParams;
  /** Path in the context. */
  readonly dockerfile: string;
  readonly platform: string | null;
  readonly buildArguments: ReadonlyMap<string, string>;
}

interface RuleInput {
  readonly scope: EngineScope;
  readonly query: URLSearchParams;
  readonly match: RegExpExecArray;
}
type Rule = readonly [methods: string, path: RegExp, decide: (asked: RuleInput) => Verdict];

const forward = (path: string): Verdict => ({ kind: 'forward', path });
const refuse = (reason: string): Verdict => ({ kind: 'refuse', reason });
const image = '([A-Za-z0-9][A-Za-z0-9._:/@-]*)';

/** Everything else is refused. The forwarded path is constructed, never copied. */
const rules: readonly Rule[] = [
  ['GET HEAD', /^\/_ping$/, () => forward('/_ping')],
  ['GET', /^\/(version|info)$/, ({ match }) => forward(`/${match[1]}`)],
  ['GET', new RegExp(`^/images/${image}/json$`), inspectImage],
  ['POST', new RegExp(`^/images/${image}/tag$`), tagImage],
  ['POST', /^\/images\/create$/, pullImage],
  ['POST', /^\/build$/, build],
  // The tool looks for containers of earlier runs; there are none.
  ['GET', /^\/containers\/json$/, () => ({ kind: 'answer', body: [] })],
  ['GET', /^\/containers\/([A-Za-z0-9_.-]+)\/json$/, ofContainer('json', 'forward')],
  ['POST', /^\/containers\/([A-Za-z0-9_.-]+)\/exec$/, ofContainer('exec', 'createExec')],
  ['POST', /^\/exec\/([0-9a-f]{64})\/(start|resize)$/, ofExec],
  ['GET', /^\/exec\/([0-9a-f]{64})\/(json)$/, ofExec],
];

/** Decides about one request to the engine. */
export function decide(method: string, url: string, scope: EngineScope): Verdict {
  const { pathname, searchParams: query } = new URL(url, 'http://engine');
  const [, version = '', rest = ''] = /^(\/v\d+\.\d+)?(\/.*)$/.exec(decoded(pathname)) ?? [];
  for (const [methods, pattern, rule] of rules) {
    const match = pattern.exec(rest);
    if (!match || !methods.split(' ').includes(method)) continue;
    const verdict = rule({ scope, query, match });
    return 'path' in verdict ? { ...verdict, path: `${version}${verdict.path}` } : verdict;
  }
  return refuse(`${method} ${pathname.slice(0, 100)} is not allowed in a build`);
}

function decoded(path: string): string {
  try {
    const text = decodeURIComponent(path);
    return text.split('/').includes('..') ? '' : text;
  } catch {
    return '';
  }
}

function inspectImage({ scope, match: [, name = ''] }: RuleInput): Verdict {
  if (!isReadableName(name, scope)) return refuse('the image belongs to another workspace');
  return forward(`/images/${name}/json`);
}

function tagImage({ scope, query, match: [, name = ''] }: RuleInput): Verdict {
  const repo = query.get('repo') ?? '';
  const tag = query.get('tag') ?? '';
  if (!isReadableName(name, scope) || !isOwnName(tag ? `${repo}:${tag}` : repo, scope))
    return refuse('image names must belong to the workspace');
  return forward(`/images/${name}/tag?${new URLSearchParams({ repo, tag })}`);
}

function pullImage({ scope, query }: RuleInput): Verdict {
  const fromImage = query.get('fromImage') ?? '';
  if (!isReadableName(fromImage, scope) || query.get('fromSrc')) return refuse('only images may be pulled');
  const made = new URLSearchParams({ fromImage });
  for (const key of ['tag', 'platform']) {
    const value = query.get(key);
    if (value !== null) made.set(key, value);
  }
  return { kind: 'pull', path: `/images/create?${made}`, image: fromImage };
}

function build({ scope, query }: RuleInput): Verdict {
  const made: URLSearchParams | QueryRefused = buildQuery(query, scope);
  if (!(made instanceof URLSearchParams)) return refuse(made.reason);
  const dockerfile = made.get('dockerfile') || 'Dockerfile';
  made.set('dockerfile', dockerfile);
  if (!isInContext(dockerfile)) return refuse('the Dockerfile must be in the build context');
  return {
    kind: 'build',
    path: `/build?${made}`,
    query: made,
    dockerfile,
    platform: made.get('platform'),
    buildArguments: buildArguments(made),
  };
}

function isInContext(path: string): boolean {
  return !path.startsWith('/') && !path.split('/').includes('..') && !/[\0\n\\]/.test(path);
}

function ofContainer(what: string, kind: 'forward' | 'createExec') {
  return ({ scope, match: [, id] }: RuleInput): Verdict =>
    id !== undefined && id === scope.containerId
      ? { kind, path: `/containers/${id}/${what}` }
      : refuse('the container does not belong to this run');
}

function ofExec({ scope, query, match: [, id = '', what] }: RuleInput): Verdict {
  if (!scope.execs.has(id)) return refuse('the program was not started by this run');
  const [h, w] = ['h', 'w'].map((key) => Number(query.get(key)) || 0);
  return forward(`/exec/${id}/${what}${what === 'resize' ? `?h=${h}&w=${w}` : ''}`);
}

const maxBytes = 1024 ** 2;
/**
 * The settings with which a program in a container may be started; `Privileged` is not among them.
 */
const ExecBody = z.object({
  AttachStdin: z.optional(z.boolean()),
  AttachStdout: z.optional(z.boolean()),
  AttachStderr: z.optional(z.boolean()),
  Tty: z.optional(z.boolean()),
  ConsoleSize: z.optional(z.nullable(z.array(z.number()))),
  Env: z.optional(z.nullable(z.array(z.string()))),
  Cmd: z.array(z.string()),
  User: z.optional(z.string()),
  WorkingDir: z.optional(z.string()),
});

/** The body of an exec request, limited to the allowed settings. @throws Error */
export async function readExecBody(request: IncomingMessage): Promise<string> {
  return JSON.stringify(ExecBody.parse(JSON.parse(await readBody(request))));
}

const Created = z.object({ Id: z.string() });

/** The exec id in the engine's answer. */
export function execIdOf(answer: string): string {
  return Created.parse(JSON.parse(answer)).Id;
}

export async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`Engine API message exceeds ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
