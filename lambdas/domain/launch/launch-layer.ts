import * as z from 'zod/mini';
import { AgentType, Effort, PermissionMode, TaskMode } from '../../../protocol/agent-sessions.js';

/** Who may say how an agent is started, the strongest first. */
export const layerNames = ['request', 'profile', 'skill', 'project', 'user', 'platform'] as const;
export const LayerName = z.enum(layerNames);
export type LayerName = z.infer<typeof LayerName>;

export const WorkspaceProfile = z.enum(['full', 'lightweight']);

/** A day: no agent works longer than that without a person. */
export const maxExecutionMs = 86_400_000;

const said = <Schema extends z.ZodMiniType>(schema: Schema) => z.optional(z.nullable(schema));
const amount = said(z.number().check(z.nonnegative(), z.maximum(100_000)));

/**
 * What a layer demands of the machine. A field that is absent is left to the layers below; null is a word of its own:
 * whatever they demand, there is no demand of this kind, and the platform's default holds.
 */
export const ResourceLayer = z.strictObject({
  minVcpu: amount,
  minMemoryGb: amount,
  minDiskGb: amount,
  /** The workspace shares its node with no other. */
  exclusiveNode: said(z.boolean()),
  /** How many others its node may hold beside it. */
  maxCoTenants: said(z.int().check(z.gte(0), z.lte(100))),
});
export type ResourceLayer = z.infer<typeof ResourceLayer>;

export const Model = z.string().check(z.minLength(1), z.maxLength(200), z.regex(/^[^\s\p{Cc}]+$/u));

/** What goes with one kind of agent only. */
export const AgentDefaults = z.strictObject({
  model: said(Model),
  effort: said(Effort),
  permissionMode: said(PermissionMode),
});
export type AgentDefaults = z.infer<typeof AgentDefaults>;

/** What one layer says; what is absent or null is left to the layers below. */
export const LaunchSettings = z.strictObject({
  ...AgentDefaults.shape,
  agentType: said(AgentType),
  /** By kind of agent; it comes before what the layer says for all kinds. */
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
  /** Of the record that says it, if there is one. */
  readonly id?: string;
  /** Names of the variables it sets. Their values stay sealed in its record until an agent is started. */
  readonly environment?: readonly string[];
}

/** The platform's own is always below them. */
export type LaunchLayers = Partial<Readonly<Record<Exclude<LayerName, 'platform'>, LaunchLayer>>>;
