import type { AgentKey } from '../../../protocol/agent-callbacks.js';
import type { AgentType } from '../../../protocol/agent-sessions.js';
import type { HarnessSettings } from './harness.js';

/** Description of one agent type. docs/agent-harnesses.md has the table. */
export interface HarnessKind {
  readonly type: AgentType;
  /** Display name. */
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** Installed in this order. */
  readonly installs: readonly Installation[];
  /** Environment variable of an API key. */
  readonly apiKeyVariable: string;
  /** Sign-in method of ACP (`authenticate`) to select for an API key, where the agent needs it. */
  readonly apiKeyMethod?: string;
  /** Place of an `oauth-token` credential; null when the agent has none. */
  readonly oauth: { readonly variable: string } | { readonly file: string } | null;
  /** Files in the home that hold a sign-in. With one of them, no stored credential is needed. */
  readonly signInFiles: readonly string[];
  /** Environment variables of address and key for each inference proxy. */
  readonly proxies: Readonly<Partial<Record<InferenceProvider, ProxyVariables>>>;
  /** Environment variables for settings and credential kind, without the credential. */
  environment(settings: HarnessSettings, credential: CredentialKind | null): Readonly<Record<string, string>>;
  /** Changes the whole environment, with the credential, before the start. */
  adaptEnvironment?(environment: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  /** Mode ids for each permission mode, best first. Others use the same name. */
  readonly modes: Readonly<Partial<Record<string, readonly string[]>>>;
  /** How `effort` is passed. */
  readonly effort: 'environment' | 'option' | 'none';
  /** True when the agent may start without a credential. */
  isFreeToStart(settings: HarnessSettings): boolean;
  readonly lacks: readonly Lack[];
}

type Lack =
  /** MCP servers could only be passed on a command line, which is readable. */
  | 'mcp'
  /** Supports MCP over HTTP, but does not announce it. */
  | 'mcp_announcement'
  /** `session/cancel` does not end a turn. */
  | 'cancel'
  /** A load in the minute in which the session was opened erases the session. */
  | 'load_in_first_minute';

export type Installation =
  | { readonly by: 'npm'; readonly packages: readonly string[]; readonly node: number }
  | { readonly by: 'uv'; readonly tool: string; readonly python: string };

type InferenceConfig = NonNullable<AgentKey['inferenceConfig']>;
type InferenceProvider = InferenceConfig['provider'];
export type CredentialKind = AgentKey['credentialKind'];

interface ProxyVariables {
  readonly address: string;
  readonly key: string;
}

/** Omits unset values. */
export function present(values: Readonly<Record<string, string | null>>): Record<string, string> {
  const entries = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null);
  return Object.fromEntries(entries);
}
