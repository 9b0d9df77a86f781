import * as z from 'zod/mini';
import { AgentType, Effort, PermissionMode, TaskMode } from '../../../protocol/agent-sessions.js';
import { whyReserved } from '../../../protocol/reserved-variables.js';
import { type LaunchLayers, LayerName, layerNames, WorkspaceProfile } from './launch-layer.js';
import { platformLayer } from './platform-layer.js';
import {
  type RankedLayer,
  Reservation,
  ResolvedResources,
  reserve,
  resolveResources,
} from './resolve-resources.js';

const from = LayerName;
const resolved = <Schema extends z.ZodMiniType>(value: Schema) => z.object({ value, from });

/** How an agent is started, and of each value which layer said it. Holds no secret. */
export const ResolvedLaunch = z.object({
  agentType: resolved(AgentType),
  model: resolved(z.nullable(z.string())),
  effort: resolved(z.nullable(Effort)),
  permissionMode: resolved(PermissionMode),
  /** All layers' additions, from the most general to the most particular. */
  systemPromptAppend: z.array(z.object({ text: z.string(), from })),
  /** Whose value each variable has; a refused one is stored in its layer and not set. */
  environment: z.record(z.string(), z.object({ from, refused: z.optional(z.literal(true)) })),
  workspaceProfile: resolved(WorkspaceProfile),
  devcontainerConfigName: resolved(z.nullable(z.string())),
  taskMode: resolved(TaskMode),
  taskExecutionTimeoutMs: resolved(z.int()),
  resourceRequirements: ResolvedResources,
  reservation: Reservation,
});
export type ResolvedLaunch = z.infer<typeof ResolvedLaunch>;

type Simple = Exclude<keyof typeof platformLayer, 'model' | 'effort' | 'permissionMode'>;

/** The one place that says which layer wins. docs/launch-settings.md is the same for people. */
export function resolveLaunch(layers: LaunchLayers): ResolvedLaunch {
  const ranked = layerNames.flatMap((name): RankedLayer[] => {
    const layer = name === 'platform' ? undefined : layers[name];
    return layer ? [{ name, layer }] : [];
  });
  const pick = <Field extends Simple>(field: Field) =>
    first(ranked, ({ layer }) => layer[field], platformLayer[field]);

  const agentType = pick('agentType');
  const resourceRequirements = resolveResources(ranked);
  return {
    agentType,
    ...resolveAgent(ranked, agentType.value),
    systemPromptAppend: ranked
      .flatMap(({ name, layer }) =>
        layer.systemPromptAppend ? [{ text: layer.systemPromptAppend, from: name }] : [],
      )
      .reverse(),
    // Entries of a higher layer come later, and the last one of a name stays.
    environment: Object.fromEntries(
      ranked
        .toReversed()
        .flatMap(({ name, layer }) =>
          (layer.environment ?? []).map((variable) => [variable, variableOf(variable, name)] as const),
        ),
    ),
    workspaceProfile: pick('workspaceProfile'),
    devcontainerConfigName: pick('devcontainerConfigName'),
    taskMode: pick('taskMode'),
    taskExecutionTimeoutMs: pick('taskExecutionTimeoutMs'),
    resourceRequirements,
    reservation: reserve(resourceRequirements, ranked),
  };
}

const variableOf = (variable: string, from: LayerName): ResolvedLaunch['environment'][string] =>
  whyReserved(variable) ? { from, refused: true } : { from };

/** A layer that names another kind of agent says nothing of this one's model: it would not know it. */
function resolveAgent(ranked: readonly RankedLayer[], agentType: AgentType) {
  const ofKind = ({ layer }: RankedLayer) => layer.agentDefaults?.[agentType];
  const meantFor = ({ layer }: RankedLayer) => (layer.agentType ?? agentType) === agentType;
  return {
    model: first(
      ranked,
      (each) => ofKind(each)?.model ?? (meantFor(each) ? each.layer.model : null),
      platformLayer.model,
    ),
    effort: first(ranked, (each) => ofKind(each)?.effort ?? each.layer.effort, platformLayer.effort),
    permissionMode: first(
      ranked,
      (each) => ofKind(each)?.permissionMode ?? each.layer.permissionMode,
      platformLayer.permissionMode,
    ),
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
