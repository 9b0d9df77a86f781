import type { AgentType } from '../../../protocol/agent-sessions.js';
import type { LaunchLayer, LayerName } from './launch-layer.js';

/** The rule of a setting in a layer that several people write, beside a personal credential. */
export type SharedRule =
  /** Cannot send the credential anywhere. */
  | 'safe'
  /** Has settings with rules of their own. */
  | 'by-field'
  /** Each variable by its name: protocol/reserved-variables.ts. */
  | 'by-name'
  /** Chooses where an agent of this type sends its credential: only the person may set it. */
  | { readonly redirects: AgentType };

type Setting = Exclude<keyof LaunchLayer, 'id'>;

/** A setting without a rule does not compile. */
export const sharedRules = {
  agentType: 'safe',
  model: 'safe',
  effort: 'safe',
  permissionMode: 'safe',
  // One value in two fields: neither is accepted alone.
  opencodeProvider: { redirects: 'opencode' },
  opencodeBaseUrl: { redirects: 'opencode' },
  agentDefaults: 'by-field',
  // Text is covered by the consent of the credential's owner.
  systemPromptAppend: 'safe',
  workspaceProfile: 'safe',
  devcontainerConfigName: 'safe',
  taskMode: 'safe',
  taskExecutionTimeoutMs: 'safe',
  resourceRequirements: 'safe',
  environment: 'by-name',
} as const satisfies Record<Setting, SharedRule>;

type Rules = typeof sharedRules;
export type Redirect = {
  [Name in Setting]: Rules[Name] extends { readonly redirects: AgentType } ? Name : never;
}[Setting];

const rules: Readonly<Record<Setting, SharedRule>> = sharedRules;
const targetOf = (rule: SharedRule): AgentType | null => (typeof rule === 'object' ? rule.redirects : null);
const isRedirect = (name: string): name is Redirect => targetOf(rules[name as Setting] ?? 'safe') !== null;

/** The settings that choose where an agent of this type sends its credential. */
export const redirectsOf = (agentType: AgentType): readonly Redirect[] =>
  Object.keys(rules)
    .filter(isRedirect)
    .filter((name) => targetOf(rules[name]) === agentType);

const writers = {
  request: 'person',
  profile: 'members',
  skill: 'members',
  project: 'members',
  user: 'person',
  platform: 'operator',
} as const satisfies Record<LayerName, 'person' | 'members' | 'operator'>;

/** Whether people other than the one who starts the agent write the layer. */
export const isShared = (layer: LayerName): boolean => writers[layer] === 'members';
