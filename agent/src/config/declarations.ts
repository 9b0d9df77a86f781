import { acmeVariables } from './acme-variables.js';
import { agentSessionVariables, snapshotVariables } from './agent-session-variables.js';
import { conversationVariables } from './conversation-variables.js';
import { diagnosticVariables, logVariables, resourceHistoryVariables } from './diagnostic-variables.js';
import { harnessVariables } from './harness-variables.js';
import { httpVariables, identityVariables, nodeVariables } from './node-variables.js';
import { portVariables } from './port-variables.js';
import { evictionVariables, pressureVariables } from './pressure-variables.js';
import type { Variable } from './variable.js';
import { fileVariables, gitVariables, terminalVariables, workspaceVariables } from './workspace-variables.js';

/** Variables, nested like the configuration. */
export interface Declarations {
  readonly [name: string]: Variable<unknown> | Declarations;
}

/**
 * Every variable of the agent: the source of the configuration, of `--help` and `--print-config`,
 * and of docs/agent-settings.md.
 */
export const declarations = {
  ...nodeVariables,
  identity: identityVariables,
  acme: acmeVariables,
  workspaces: workspaceVariables,
  terminals: terminalVariables,
  conversations: conversationVariables,
  agentSessions: agentSessionVariables,
  snapshots: snapshotVariables,
  ports: portVariables,
  files: fileVariables,
  git: gitVariables,
  harness: harnessVariables,
  http: httpVariables,
  logs: logVariables,
  diagnostics: diagnosticVariables,
  resourceHistory: resourceHistoryVariables,
  pressure: pressureVariables,
  eviction: evictionVariables,
} satisfies Declarations;

export type ValuesOf<D> = {
  readonly [Name in keyof D]: D[Name] extends Variable<infer T> ? T : ValuesOf<D[Name]>;
};

export function isVariable(declared: Variable<unknown> | Declarations): declared is Variable<unknown> {
  return typeof declared.read === 'function';
}

/** All variables by group; the group `node` comes first. */
export function variableGroups(): readonly (readonly [
  group: string,
  variables: readonly Variable<unknown>[],
])[] {
  const entries = Object.entries<Variable<unknown> | Declarations>(declarations);
  const node = entries.filter(([, declared]) => isVariable(declared)).map(([, declared]) => declared);
  const { tls, ...groups } = Object.fromEntries(entries.filter(([, declared]) => !isVariable(declared)));
  return [
    ['node', [...node, tls ?? {}].flatMap(flatten)],
    ...Object.entries(groups).map(([name, declared]) => [name, flatten(declared)] as const),
  ];
}

function flatten(declared: Variable<unknown> | Declarations): readonly Variable<unknown>[] {
  return isVariable(declared) ? [declared] : Object.values(declared).flatMap(flatten);
}
