import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { ResourceLayer } from '../../domain/launch/launch-layer.js';
import {
  maxProfilesOfKind,
  maxVariables,
  ProfileSettings,
  VariableName,
} from '../../domain/profiles/profile-or-skill.js';
import { Name } from '../../domain/projects/project.js';
import { contract } from '../../edge/contract.js';
import { nextCursor, pageQuery } from '../../edge/contract-parts.js';
import { creationHeader } from '../../edge/idempotency-header.js';

const maxVariableBytes = 4_096;

const Environment = z.record(
  VariableName,
  z.nullable(
    z.string().check(
      z.refine((value) => Buffer.byteLength(value) <= maxVariableBytes, `At most ${maxVariableBytes} bytes`),
      z.refine((value) => !value.includes('\0'), 'No null characters'),
    ),
  ),
);

/** An object, or its JSON text as replies have it. */
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

const { resourceRequirements: _, ...plainSettings } = ProfileSettings.shape;
const given = {
  description: z.optional(z.nullable(z.string().check(z.maxLength(2_000)))),
  ...plainSettings,
  resourceRequirementsJson: z.optional(z.nullable(ResourceRequirementsJson)),
  environment: z.optional(z.nullable(Environment)),
};

export const ProfileBody = z.strictObject({
  name: z.optional(Name),
  ...given,
  version: z.optional(z.int().check(z.gte(0))),
});

const shown = <Shape extends z.ZodMiniType>(schema: z.ZodMiniOptional<z.ZodMiniNullable<Shape>>) =>
  schema.def.innerType;

const ProfileView = z.object({
  id: Ulid,
  projectId: Ulid,
  name: z.string(),
  description: z.nullable(z.string()),
  /** Null: the setting comes from another layer. */
  agentType: shown(plainSettings.agentType),
  model: shown(plainSettings.model),
  effort: shown(plainSettings.effort),
  permissionMode: shown(plainSettings.permissionMode),
  opencodeProvider: shown(plainSettings.opencodeProvider),
  opencodeBaseUrl: shown(plainSettings.opencodeBaseUrl),
  systemPromptAppend: shown(plainSettings.systemPromptAppend),
  workspaceProfile: shown(plainSettings.workspaceProfile),
  devcontainerConfigName: shown(plainSettings.devcontainerConfigName),
  taskMode: shown(plainSettings.taskMode),
  taskExecutionTimeoutMs: shown(plainSettings.taskExecutionTimeoutMs),
  resourceRequirementsJson: z.nullable(z.string()),
  /** Names without values. `refused` says why a variable that was stored earlier is not set. */
  environment: z.array(z.object({ name: z.string(), refused: z.optional(z.string()) })),
  version: z.int(),
  createdBy: Ulid,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

const project = z.object({ projectId: Ulid });
const example = { name: 'Careful', model: 'claude-opus-4-5', effort: 'high' };
const environmentRule = `\`environment\` sets variables by name: at most ${maxVariables}, ${maxVariableBytes} bytes each. Values are encrypted and never returned. Variables that determine where a program connects and what it loads, starts or trusts (such as \`ANTHROPIC_BASE_URL\`, \`LD_PRELOAD\`, \`NODE_OPTIONS\`, \`HTTPS_PROXY\`, \`PATH\`, \`GIT_SSH_COMMAND\`) are refused (\`VARIABLE_NOT_ALLOWED\`).`;

/** The contracts of agent profiles and of skills. They differ in the noun only. */
function contractsOf<const Param extends 'profileId' | 'skillId'>(param: Param, noun: string) {
  // The compiler types a computed name as string.
  const one = z.extend(project, { [param]: Ulid } as Record<Param, typeof Ulid>);
  const word = param === 'profileId' ? 'PROFILE' : 'SKILL';
  return {
    create: contract({
      summary: `Create ${noun}`,
      headers: creationHeader(noun.replace(/^an? /, '')),
      description: `Create ${noun} with a name that is unique in the project. The limit is ${maxProfilesOfKind} in a project. Settings that are absent come from the project and the person. ${environmentRule}`,
      params: project,
      body: z.strictObject({ name: Name, ...given }),
      example,
      responses: { 201: ProfileView },
      errors: [
        'VARIABLE_NOT_ALLOWED',
        'IDEMPOTENCY_KEY_REUSED',
        `${word}_NAME_TAKEN`,
        `${word}_LIMIT_REACHED`,
      ],
    }),
    get: contract({
      summary: `Return ${noun}`,
      description: `Return ${noun} with its settings and the names of its variables, without their values.`,
      params: one,
      responses: { 200: ProfileView },
    }),
    change: contract({
      summary: `Change ${noun}`,
      description: `Change the given settings. An absent field keeps its value; null clears it, so that it is inherited again. With \`version\`, the change fails with 409 when the present version is another one. ${environmentRule} A variable set to null is removed; \`environment\` set to null removes all variables.`,
      params: one,
      body: ProfileBody,
      example: { effort: 'max', model: null },
      responses: { 200: ProfileView },
      errors: ['VARIABLE_NOT_ALLOWED', `${word}_NAME_TAKEN`, 'VERSION_CONFLICT'],
    }),
    remove: contract({
      summary: `Delete ${noun}`,
      description: `Delete ${noun}. Tasks that were submitted with it keep their settings; its variables are not set any more when their agents start. A repeat returns 404.`,
      params: one,
      responses: { 200: z.object({ success: z.literal(true) }) },
      errors: ['VERSION_CONFLICT'],
    }),
  };
}

export const profiles = {
  ...contractsOf('profileId', 'an agent profile'),
  list: contract({
    summary: 'List the agent profiles of a project',
    description: 'Return one page of agent profiles, oldest first.',
    params: project,
    query: z.strictObject(pageQuery),
    responses: { 200: z.object({ profiles: z.array(ProfileView), nextCursor }) },
  }),
};

export const skills = {
  ...contractsOf('skillId', 'a skill'),
  list: contract({
    summary: 'List the skills of a project',
    description: 'Return one page of skills, oldest first.',
    params: project,
    query: z.strictObject(pageQuery),
    responses: { 200: z.object({ skills: z.array(ProfileView), nextCursor }) },
  }),
};
