import type { AgentKey } from '../../../../protocol/agent-callbacks.js';
import type { AgentType } from '../../../../protocol/agent-sessions.js';
import type { HarnessSettings } from '../harness.js';

/** All there is to know of one kind of coding agent; docs/agent-harnesses.md has the table. */
export interface HarnessKind {
  readonly type: AgentType;
  /** For people. */
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** All of these, in this order. */
  readonly installs: readonly Installation[];
  /** Variable of an API key. */
  readonly apiKeyVariable: string;
  /** Where a credential of the kind `oauth-token` goes; null: it knows none. */
  readonly oauth: { readonly variable: string } | { readonly file: string } | null;
  /**
   * Files, from the home folder, by which a person is signed in from within the workspace: with one of them there, no
   * stored credential is needed.
   */
  readonly signInFiles: readonly string[];
  /** Variables of the address and the key, for a provider's address of the control plane. */
  readonly proxies: Readonly<Partial<Record<InferenceProvider, ProxyVariables>>>;
  /** What its settings and its credential's kind come to in its environment, beside the credential itself. */
  environment(settings: HarnessSettings, credential: CredentialKind | null): Readonly<Record<string, string>>;
  /** Ids of its modes for each of our permission modes, best first; what is not named goes by the same name. */
  readonly modes: Readonly<Partial<Record<string, readonly string[]>>>;
  /** How `effort` reaches it. */
  readonly effort: 'environment' | 'option' | 'none';
  /** Whether it may work without any credential at all. */
  isFreeToStart(settings: HarnessSettings): boolean;
  readonly lacks: readonly Lack[];
}

type Lack =
  /** MCP servers could be given to it only with their addresses on a command line. */
  | 'mcp'
  /** It takes MCP servers over HTTP, and does not say so. */
  | 'mcp_announcement'
  /** `session/cancel` does not end a turn. */
  | 'cancel';

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

/** Only what is set. */
export function present(values: Readonly<Record<string, string | null>>): Record<string, string> {
  const entries = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null);
  return Object.fromEntries(entries);
}
