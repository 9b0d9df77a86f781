import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { ResourceLayer } from '../../domain/launch/launch-layer.js';
import { maxVariables, PresetSettings } from '../../domain/profiles/preset.js';
import { Name } from '../../domain/projects/project.js';
import { contract } from '../../edge/contract.js';

const maxVariableBytes = 4_096;

const VariableName = z
  .string()
  .check(z.maxLength(128), z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'Not the name of a variable'));
const Environment = z.record(
  VariableName,
  z.nullable(
    z.string().check(
      z.refine((value) => Buffer.byteLength(value) <= maxVariableBytes, `At most ${maxVariableBytes} bytes`),
      z.refine((value) => !value.includes('\0'), 'No null characters'),
    ),
  ),
);

/** As an object, or as its JSON text, which is how replies have it. */
const ResourceRequirementsJson = z.pipe(
  z.pipe(
    z.union([z.string().check(z.maxLength(1_000)), z.record(z.string(), z.unknown())]),
    z.transform((given, context) => {
      if (typeof given !== 'string') return given;
      try {
        return JSON.parse(given) as unknown;
      } catch {
        context.issues.push({ code: 'custom', message: 'Not JSON', input: given });
        return z.NEVER;
      }
    }),
  ),
  ResourceLayer,
);

const { resourceRequirements: _, ...plainSettings } = PresetSettings.shape;
const said = {
  description: z.optional(z.nullable(z.string().check(z.maxLength(2_000)))),
  ...plainSettings,
  resourceRequirementsJson: z.optional(z.nullable(ResourceRequirementsJson)),
  environment: z.optional(z.nullable(Environment)),
};

export const PresetBody = z.strictObject({
  name: z.optional(Name),
  ...said,
  version: z.optional(z.int()),
});

const shown = <Shape extends z.ZodMiniType>(schema: z.ZodMiniOptional<z.ZodMiniNullable<Shape>>) =>
  schema.def.innerType;

export const PresetView = z.object({
  id: Ulid,
  projectId: Ulid,
  name: z.string(),
  description: z.nullable(z.string()),
  /** Null is what is left to other layers. */
  agentType: shown(plainSettings.agentType),
  model: shown(plainSettings.model),
  effort: shown(plainSettings.effort),
  permissionMode: shown(plainSettings.permissionMode),
  systemPromptAppend: shown(plainSettings.systemPromptAppend),
  workspaceProfile: shown(plainSettings.workspaceProfile),
  devcontainerConfigName: shown(plainSettings.devcontainerConfigName),
  taskMode: shown(plainSettings.taskMode),
  taskExecutionTimeoutMs: shown(plainSettings.taskExecutionTimeoutMs),
  resourceRequirementsJson: z.nullable(z.string()),
  /** Never with their values. `refused`: stored before it was refused, and not set; why. */
  environment: z.array(z.object({ name: z.string(), refused: z.optional(z.string()) })),
  version: z.int(),
  createdBy: Ulid,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export const project = z.object({ projectId: Ulid });
const example = { name: 'Careful', model: 'claude-opus-4-5', effort: 'high' };
const environmentRule = `\`environment\` sets variables by name; at most ${maxVariables}, ${maxVariableBytes} bytes each. Values are encrypted and never shown. Variables that choose where a program connects, what it loads, starts or trusts (such as \`ANTHROPIC_BASE_URL\`, \`LD_PRELOAD\`, \`NODE_OPTIONS\`, \`HTTPS_PROXY\`, \`PATH\`, \`GIT_SSH_COMMAND\`) are refused (\`VARIABLE_NOT_ALLOWED\`).`;

/** What the routes of agent profiles and of skills accept and answer, which is the same but for the noun. */
export function presetContracts<const Param extends 'profileId' | 'skillId'>(param: Param, noun: string) {
  // The checker sees a computed name as any string.
  const one = z.extend(project, { [param]: Ulid } as Record<Param, typeof Ulid>);
  const word = param === 'profileId' ? 'PROFILE' : 'SKILL';
  return {
    create: contract({
      summary: `Create ${noun}`,
      description: `Its name is unique in the project. ${environmentRule}`,
      params: project,
      body: z.strictObject({ name: Name, ...said }),
      example,
      responses: { 201: PresetView },
      errors: ['VARIABLE_NOT_ALLOWED', `${word}_NAME_TAKEN`, `${word}_LIMIT_REACHED`],
    }),
    get: contract({
      summary: `Read ${noun}`,
      params: one,
      responses: { 200: PresetView },
    }),
    change: contract({
      summary: `Change ${noun}`,
      description: `What is absent stays as it is; null clears it, so that it is inherited again. With \`version\`, only if it is still that one. ${environmentRule} Null takes a variable away; a null \`environment\` all of them.`,
      params: one,
      body: PresetBody,
      example: { effort: 'max', model: null },
      responses: { 200: PresetView },
      errors: ['VARIABLE_NOT_ALLOWED', `${word}_NAME_TAKEN`, 'VERSION_CONFLICT'],
    }),
    remove: contract({
      summary: `Delete ${noun}`,
      description: 'Tasks that were started with it go on with the settings they were started with.',
      params: one,
      responses: { 200: z.object({ success: z.literal(true) }) },
      errors: ['VERSION_CONFLICT'],
    }),
  };
}
