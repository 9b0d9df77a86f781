import { agentSessionContracts } from './agent-sessions.js';
import type { AgentContract, AgentContracts } from './contract.js';
import { diagnosticContracts } from './diagnostics.js';
import { fileContracts } from './files.js';
import { gitContracts } from './git.js';
import { nodeContracts } from './node.js';
import { portContracts } from './ports.js';
import { terminalContracts } from './terminals.js';
import { workspaceContracts } from './workspaces.js';

/**
 * Every route and socket of the agent, by area: the source of the OpenAPI document, of
 * docs/agent-api.md, and of the tests of tokens and responses.
 */
const agentContracts = {
  node: nodeContracts,
  workspaces: workspaceContracts,
  terminals: terminalContracts,
  'agent-sessions': agentSessionContracts,
  files: fileContracts,
  git: gitContracts,
  ports: portContracts,
  diagnostics: diagnosticContracts,
} as const satisfies Readonly<Record<string, AgentContracts>>;

export interface AgentRow {
  readonly area: string;
  /** The id of the operation. */
  readonly name: string;
  readonly contract: AgentContract;
}

export const agentRows: readonly AgentRow[] = Object.entries<AgentContracts>(agentContracts).flatMap(
  ([area, contracts]) => Object.entries(contracts).map(([name, contract]) => ({ area, name, contract })),
);
