import * as z from 'zod/mini';
import { AgentType, Effort, PermissionMode, TaskMode } from '../../../protocol/agent-sessions.js';
import { ModelAddress } from '../../../protocol/model-address.js';

/** The layers of launch settings, the strongest first. */
export const layerNames = ['request', 'profile', 'skill', 'project', 'user', 'platform'] as const;
export const LayerName = z.enum(layerNames);
export type LayerName = z.infer<typeof LayerName>;

export const WorkspaceProfile = z.enum(['full', 'lightweight']);

/** A day: no agent works longer without a person. */
const maxExecutionMs = 86_400_000;

const said = <Schema extends z.ZodMiniType>(schema: Schema) => z.optional(z.nullable(schema));
const amount = said(z.number().check(z.nonnegative(), z.maximum(100_000)));

/**
 * A layer's demands of the machine. An absent field is left to weaker layers. Null means no demand
 * of this kind, whatever weaker layers demand: the platform's default applies.
 */
export const ResourceLayer = z.strictObject({
  minVcpu: amount,
  minMemoryGb: amount,
  minDiskGb: amount,
  /** No other workspace on its node. */
  exclusiveNode: said(z.boolean()),
  /** Number of other workspaces on its node. */
  maxCoTenants: said(z.int().check(z.gte(0), z.lte(100))),
});

export type ResourceLayer = z.infer<typeof ResourceLayer>;

const Model = z.string().check(z.minLength(1), z.maxLength(200), z.regex(/^[^\s\p{Cc}]+$/u));

export const OpencodeProvider = z.enum(['opencode-zen', 'opencode-go', 'custom']);

/** Settings for one agent type. */
const AgentDefaults = z.strictObject({
  model: said(Model),
  effort: said(Effort),
  permissionMode: said(PermissionMode),
  /** Only OpenCode uses it, and the address only with the provider `custom`. */
  opencodeProvider: said(OpencodeProvider),
  opencodeBaseUrl: said(ModelAddress),
});

/** The settings of one layer. Absent or null fields are left to weaker layers. */
export const LaunchSettings = z.strictObject({
  ...AgentDefaults.shape,
  agentType: said(AgentType),
  /** By agent type; stronger than the settings of the same layer for all types. */
  agentDefaults: said(z.partialRecord(AgentType, AgentDefaults)),
  /** Added to the agent's own instructions. */
  systemPromptAppend: said(z.string().check(z.maxLength(16_000))),
  workspaceProfile: said(WorkspaceProfile),
  devcontainerConfigName: said(
    z.string().check(z.minLength(1), z.maxLength(100), z.regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/)),
  ),
  taskMode: said(TaskMode),
  taskExecutionTimeoutMs: said(z.int().check(z.gte(60_000), z.lte(maxExecutionMs))),
  resourceRequirements: said(ResourceLayer),
});

export type LaunchSettings = z.infer<typeof LaunchSettings>;

export interface LaunchLayer extends LaunchSettings {
  /** Id of the layer's record, if it has one. */
  readonly id?: string;
  /** Names of its variables. Their values stay sealed in its record until an agent starts. */
  readonly environment?: readonly string[];
}

/** The platform layer is always the weakest. */
export type LaunchLayers = Partial<Readonly<Record<Exclude<LayerName, 'platform'>, LaunchLayer>>>;

/** The platform's defaults. */
export const platformLayer = {
  agentType: 'claude-code',
  // Null: the agent's own default.
  model: null,
  effort: null,
  permissionMode: 'bypassPermissions',
  opencodeProvider: null,
  opencodeBaseUrl: null,
  workspaceProfile: 'full',
  devcontainerConfigName: null,
  taskMode: 'task',
  taskExecutionTimeoutMs: 14400000,
} as const;

export const platformResources = {
  minVcpu: 2,
  minMemoryGb: 4,
  minDiskGb: 40,
  exclusiveNode: false,
  maxCoTenants: 4,
} as const satisfies Required<ResourceLayer>;
type Said<Settings> = {
  readonly [Name in keyof Settings]?: Settings[Name] | undefined;
};

/** A layer after a change: absent fields keep their values, null fields are removed. */
export function mergeSettings<Settings extends object>(settings: Settings, change: Said<Settings>): Settings {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const said = Object.entries({ ...settings, ...Object.fromEntries(given) });
  // The compiler cannot follow names through Object.entries.
  return Object.fromEntries(said.filter(([, value]) => value !== null && value !== undefined)) as Settings;
}
