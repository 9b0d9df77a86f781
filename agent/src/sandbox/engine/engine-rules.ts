import { buildQuery, type QueryRefused } from './build-query.js';
import { isOwnName, isReadableName } from './image-names.js';

/** What one run of a tool may do with the engine. */
export interface EngineScope {
  readonly workspaceId: string;
  /** On every image that the run builds. */
  readonly labels: Readonly<Record<string, string>>;
  /** The only container that it may look at and run programs in. */
  readonly containerId: string | null;
  /** Whether the docker command builds by BuildKit, over connections of its own protocol. */
  readonly hasBuildKit: boolean;
  /** Programs that the run has started in its container. */
  readonly execs: ReadonlySet<string>;
}

export type Verdict =
  | { readonly kind: 'forward' | 'createExec'; readonly path: string }
  | { readonly kind: 'answer'; readonly body: unknown }
  | { readonly kind: 'refuse'; readonly reason: string };

interface Asked {
  readonly scope: EngineScope;
  readonly query: URLSearchParams;
  readonly match: RegExpExecArray;
}
type Rule = readonly [methods: string, path: RegExp, decide: (asked: Asked) => Verdict];

const forward = (path: string): Verdict => ({ kind: 'forward', path });
const refuse = (reason: string): Verdict => ({ kind: 'refuse', reason });
const image = '([A-Za-z0-9][A-Za-z0-9._:/@-]*)';

/** All else is refused. The path that is sent is made here, never passed on. */
const rules: readonly Rule[] = [
  ['GET HEAD', /^\/_ping$/, () => forward('/_ping')],
  ['GET', /^\/(version|info)$/, ({ match }) => forward(`/${match[1]}`)],
  ['GET', new RegExp(`^/images/${image}/json$`), inspectImage],
  ['POST', new RegExp(`^/images/${image}/tag$`), tagImage],
  ['POST', /^\/images\/create$/, pullImage],
  ['POST', /^\/build$/, build],
  ['POST', /^\/(session|grpc)$/, buildKit],
  // The tool looks for containers of former runs; it has none.
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
  return refuse(`${method} ${pathname.slice(0, 100)} is not part of a build`);
}

function decoded(path: string): string {
  try {
    const text = decodeURIComponent(path);
    return text.split('/').includes('..') ? '' : text;
  } catch {
    return '';
  }
}

function inspectImage({ scope, match: [, name = ''] }: Asked): Verdict {
  if (!isReadableName(name, scope)) return refuse('this image belongs to another workspace');
  return forward(`/images/${name}/json`);
}

function tagImage({ scope, query, match: [, name = ''] }: Asked): Verdict {
  const repo = query.get('repo') ?? '';
  const tag = query.get('tag') ?? '';
  if (!isReadableName(name, scope) || !isOwnName(tag ? `${repo}:${tag}` : repo, scope))
    return refuse('images get names of their workspace only');
  return forward(`/images/${name}/tag?${new URLSearchParams({ repo, tag })}`);
}

function pullImage({ scope, query }: Asked): Verdict {
  const fromImage = query.get('fromImage') ?? '';
  if (!isReadableName(fromImage, scope) || query.get('fromSrc')) return refuse('only images are pulled');
  const made = new URLSearchParams({ fromImage });
  for (const key of ['tag', 'platform']) {
    const value = query.get(key);
    if (value !== null) made.set(key, value);
  }
  return forward(`/images/create?${made}`);
}

function build({ scope, query }: Asked): Verdict {
  const made: URLSearchParams | QueryRefused = buildQuery(query, scope);
  return made instanceof URLSearchParams ? forward(`/build?${made}`) : refuse(made.reason);
}

function buildKit({ scope, match: [path] }: Asked): Verdict {
  return scope.hasBuildKit ? forward(path) : refuse('this node does not build by BuildKit');
}

function ofContainer(what: string, kind: 'forward' | 'createExec') {
  return ({ scope, match: [, id] }: Asked): Verdict =>
    id !== undefined && id === scope.containerId
      ? { kind, path: `/containers/${id}/${what}` }
      : refuse('this container is not the workspace of the run');
}

function ofExec({ scope, query, match: [, id = '', what] }: Asked): Verdict {
  if (!scope.execs.has(id)) return refuse('this program was not started by the run');
  const [h, w] = ['h', 'w'].map((key) => Number(query.get(key)) || 0);
  return forward(`/exec/${id}/${what}${what === 'resize' ? `?h=${h}&w=${w}` : ''}`);
}
