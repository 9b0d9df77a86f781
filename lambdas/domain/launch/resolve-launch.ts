import * as z from 'zod/mini';
import { AgentType, Effort, PermissionMode, TaskMode } from '../../../protocol/agent-sessions.js';
import { whyReserved } from '../../../protocol/reserved-variables.js';
import { ResolvedReservation } from '../nodes/reservation.js';
import {
  type LaunchLayer,
  type LaunchLayers,
  LayerName,
  layerNames,
  OpencodeProvider,
  platformLayer,
  platformResources,
  type ResourceLayer,
  WorkspaceProfile,
} from './launch-layer.js';
import type { LaunchTrust } from './launch-trust.js';
import { needsConfirmation } from './shared-variables.js';
import { ignoredSettings, withoutRedirects } from './without-redirects.js';

const from = LayerName;
const amount = z.object({ value: z.number(), from });

const ResolvedResources = z.object({
  minVcpu: amount,
  minMemoryGb: amount,
  minDiskGb: amount,
  exclusiveNode: z.object({ value: z.boolean(), from }),
  maxCoTenants: amount,
});

type ResolvedResources = z.infer<typeof ResolvedResources>;

interface RankedLayer {
  readonly name: LayerName;
  readonly layer: LaunchLayer;
}

const resolved = <Schema extends z.ZodMiniType>(value: Schema) => z.object({ value, from });
const unset = { value: null, from: 'platform' } as const;

/** A setting of a shared layer that is not used: it could redirect a person's credential. */
const IgnoredSetting = z.object({ field: z.string(), from });
export type IgnoredSetting = z.infer<typeof IgnoredSetting>;

/** The settings with which an agent is started, each with its layer. Has no secrets. */
export const ResolvedLaunch = z.object({
  agentType: resolved(AgentType),
  model: resolved(z.nullable(z.string())),
  effort: resolved(z.nullable(Effort)),
  permissionMode: resolved(PermissionMode),
  // Launches that were stored before these settings have neither.
  opencodeProvider: z._default(resolved(z.nullable(OpencodeProvider)), unset),
  opencodeBaseUrl: z._default(resolved(z.nullable(z.string())), unset),
  /** The additions of all layers, the weakest first. */
  systemPromptAppend: z.array(z.object({ text: z.string(), from })),
  /** The layer of each variable. A refused variable is stored in its layer and not set. */
  environment: z.record(
    z.string(),
    z.object({
      from,
      refused: z.optional(z.literal(true)),
      /** Only of a variable that the owner of the agent's credential could confirm. */
      refusedBecause: z.optional(z.literal('not_confirmed')),
    }),
  ),
  workspaceProfile: resolved(WorkspaceProfile),
  devcontainerConfigName: resolved(z.nullable(z.string())),
  taskMode: resolved(TaskMode),
  taskExecutionTimeoutMs: resolved(z.int()),
  resourceRequirements: ResolvedResources,
  /** The resources that the launch reserves on a node. */
  reservation: ResolvedReservation,
  // Earlier launches have none.
  ignored: z._default(z.array(IgnoredSetting), []),
});

export type ResolvedLaunch = z.infer<typeof ResolvedLaunch>;

/** Settings that a layer can also have for one agent type. */
type OfAgent = 'model' | 'effort' | 'permissionMode' | 'opencodeProvider' | 'opencodeBaseUrl';
type Simple = Exclude<keyof typeof platformLayer, OfAgent>;

/**
 * Decides which layer wins; docs/launch-settings.md describes it. With a credential of the person,
 * shared layers do not choose where the agent sends it.
 */
export function resolveLaunch(all: LaunchLayers, trust: LaunchTrust): ResolvedLaunch {
  const { personal } = trust;
  const layers = withoutRedirects(all, personal);
  const ranked = layerNames.flatMap((name): RankedLayer[] => {
    const layer = name === 'platform' ? undefined : layers[name];
    return layer ? [{ name, layer }] : [];
  });
  const pick = <Field extends Simple>(field: Field) =>
    first(ranked, ({ layer }) => layer[field], platformLayer[field]);

  const agentType = pick('agentType');
  const resourceRequirements = resolveResources(ranked);
  const isPersonal = personal.has(agentType.value);
  const confirmed = isPersonal ? trust.confirmed : undefined;
  return {
    agentType,
    ...resolveAgent(ranked, agentType.value),
    systemPromptAppend: ranked
      .flatMap(({ name, layer }) =>
        layer.systemPromptAppend ? [{ text: layer.systemPromptAppend, from: name }] : [],
      )
      .reverse(),
    // Entries of stronger layers come later; the last entry of a name stays.
    environment: Object.fromEntries(
      ranked
        .toReversed()
        .flatMap(({ name, layer }) =>
          (layer.environment ?? []).map(
            (variable) => [variable, variableOf(variable, name, confirmed)] as const,
          ),
        ),
    ),
    workspaceProfile: pick('workspaceProfile'),
    devcontainerConfigName: pick('devcontainerConfigName'),
    taskMode: pick('taskMode'),
    taskExecutionTimeoutMs: pick('taskExecutionTimeoutMs'),
    resourceRequirements,
    reservation: reserve(resourceRequirements, ranked),
    ignored: isPersonal ? [...ignoredSettings(all, agentType.value)] : [],
  };
}

/** Without `confirmed`, the agent gets no credential of a person. */
function variableOf(
  variable: string,
  from: LayerName,
  confirmed: ReadonlySet<string> | undefined,
): ResolvedLaunch['environment'][string] {
  if (whyReserved(variable)) return { from, refused: true };
  const isRefused = confirmed && needsConfirmation({ variable, from, confirmed });
  return isRefused ? { from, refused: true, refusedBecause: 'not_confirmed' } : { from };
}

/** The model of a layer for another agent type is ignored: this agent does not know it. */
function resolveAgent(ranked: readonly RankedLayer[], agentType: AgentType) {
  const ofKind = ({ layer }: RankedLayer) => layer.agentDefaults?.[agentType];
  const pick = <Field extends Exclude<OfAgent, 'model'>>(field: Field) =>
    first(ranked, (each) => ofKind(each)?.[field] ?? each.layer[field], platformLayer[field]);
  const meantFor = ({ layer }: RankedLayer) => (layer.agentType ?? agentType) === agentType;
  return {
    model: first(
      ranked,
      (each) => ofKind(each)?.model ?? (meantFor(each) ? each.layer.model : null),
      platformLayer.model,
    ),
    effort: pick('effort'),
    permissionMode: pick('permissionMode'),
    opencodeProvider: pick('opencodeProvider'),
    opencodeBaseUrl: pick('opencodeBaseUrl'),
  };
}

function first<Value, Standard>(
  ranked: readonly RankedLayer[],
  say: (each: RankedLayer) => Value | null | undefined,
  standard: Standard,
): { value: NonNullable<Value> | Standard; from: LayerName } {
  for (const each of ranked) {
    const value = say(each);
    if (value !== undefined && value !== null) return { value, from: each.name };
  }
  return { value: standard, from: 'platform' };
}

/** Each field has the value of the strongest layer that sets it; null means no demand. */
function resolveResources(layers: readonly RankedLayer[]): ResolvedResources {
  const resolve = <Value>(
    read: (said: ResourceLayer) => Value | null | undefined,
    standard: Value,
  ): { value: Value; from: LayerName } => {
    const setIn = ({ layer: { resourceRequirements: set } }: RankedLayer) => (set ? read(set) : undefined);
    const strongest = layers.find((ranked) => setIn(ranked) !== undefined);
    if (!strongest) return { value: standard, from: 'platform' };
    return { value: setIn(strongest) ?? standard, from: strongest.name };
  };
  return {
    minVcpu: resolve<number>(({ minVcpu }) => minVcpu, platformResources.minVcpu),
    minMemoryGb: resolve<number>(({ minMemoryGb }) => minMemoryGb, platformResources.minMemoryGb),
    minDiskGb: resolve<number>(({ minDiskGb }) => minDiskGb, platformResources.minDiskGb),
    exclusiveNode: resolve<boolean>(({ exclusiveNode }) => exclusiveNode, platformResources.exclusiveNode),
    maxCoTenants: resolve<number>(({ maxCoTenants }) => maxCoTenants, platformResources.maxCoTenants),
  };
}

function reserve(resources: ResolvedResources, layers: readonly RankedLayer[]): ResolvedReservation {
  const speaker = layers.find(({ name }) => Object.values(resources).some((field) => field.from === name));
  return {
    cpuMillis: Math.ceil(resources.minVcpu.value * 1000),
    memoryMb: Math.ceil(resources.minMemoryGb.value * 1024),
    diskMb: Math.ceil(resources.minDiskGb.value * 1024),
    exclusiveNode: resources.exclusiveNode.value,
    maxCoTenants: resources.maxCoTenants.value,
    source: speaker?.name ?? 'platform',
    sourceId: speaker?.layer.id ?? null,
    version: 1,
  };
}
