import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { chatStatuses } from '../../domain/chats/chat.js';
import { BranchName } from '../../domain/code-host/branch-name.js';
import { InstallationId, RepositoryName } from '../../domain/code-host/code-host.js';
import { capabilities } from '../../domain/projects/member.js';
import { Name, ProjectSettings } from '../../domain/projects/project.js';
import { contract } from '../../edge/contract.js';
import { nextCursor, pageQueryUpTo } from '../../edge/contract-parts.js';
import { creationHeader } from '../../edge/idempotency-header.js';
import { Limits } from '../credentials/contract.js';

const role = z.enum(['owner', 'admin', 'maintainer', 'viewer']);

const Summary = z.object({
  id: Ulid,
  name: z.string(),
  description: z.nullable(z.string()),
  installationId: z.string(),
  repository: z.string(),
  defaultBranch: z.string(),
  status: z.enum(['active', 'detached']),
  /** Of the caller. */
  role,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

const {
  agentType,
  model,
  effort,
  permissionMode,
  workspaceProfile,
  devcontainerConfigName,
  taskMode,
  ...same
} = ProjectSettings.shape;
/** Launch settings under the names they have on a project. */
const settings = {
  defaultAgentType: agentType,
  defaultModel: model,
  defaultEffort: effort,
  defaultPermissionMode: permissionMode,
  defaultWorkspaceProfile: workspaceProfile,
  defaultDevcontainerConfigName: devcontainerConfigName,
  defaultTaskMode: taskMode,
  ...same,
};

const Description = z.optional(z.nullable(z.string().check(z.maxLength(2_000))));
const project = z.object({ projectId: Ulid });

const Project = z.extend(Summary, {
  ...settings,
  version: z.int(),
  /** Its owner. */
  userId: Ulid,
  normalizedName: z.string(),
  repoProvider: z.literal('github'),
  githubRepoId: z.string(),
  /** Of the caller. */
  capabilities: z.array(z.enum(capabilities)),
});

export const create = contract({
  summary: 'Create a project for a repository',
  headers: creationHeader('project'),
  description:
    'The repository must be visible to you and belong to the account of the installation. Name and repository are unique among your projects.',
  body: z.strictObject({
    name: Name,
    description: Description,
    installationId: InstallationId,
    repository: RepositoryName,
    /** The code host's own default when absent. */
    defaultBranch: z.optional(BranchName),
  }),
  responses: { 201: Project },
  errors: [
    'NOT_FOUND',
    'IDEMPOTENCY_KEY_REUSED',
    'PROJECT_NAME_TAKEN',
    'PROJECT_REPOSITORY_TAKEN',
    'PROJECT_LIMIT_REACHED',
    'CODE_HOST_UNAVAILABLE',
    'CODE_HOST_ACCESS_LOST',
    'SERVICE_UNAVAILABLE',
  ],
});

export const list = contract({
  summary: 'List your projects, newest first',
  description: 'With `status`, a page can have fewer projects than `limit` and still have a next page.',
  query: z.strictObject({ ...pageQueryUpTo(200), status: z.optional(z.enum(['active', 'detached'])) }),
  responses: { 200: z.object({ projects: z.array(Summary), nextCursor }) },
});

const Detail = z.extend(Project, {
  /** Of its newest sessions. */
  lastActivityAt: z.nullable(z.iso.datetime()),
  recentSessions: z.array(
    z.object({
      id: Ulid,
      createdByUserId: Ulid,
      topic: z.nullable(z.string()),
      status: z.enum(chatStatuses),
      workspaceId: z.nullable(Ulid),
      taskId: z.nullable(Ulid),
      lastMessageAt: z.nullable(z.iso.datetime()),
      createdAt: z.iso.datetime(),
    }),
  ),
});

export const get = contract({
  summary: 'Get a project with your role and its newest chat sessions',
  description: '`role` states what you may do in the project. A project that was detached stays readable.',
  params: project,
  responses: { 200: Detail },
});

export const change = contract({
  summary: 'Change a project',
  description:
    'Fields that are absent stay unchanged. null removes a setting, so that the layers below apply, or a limit, so that the platform limit applies. With `version`, the call fails with 409 if the project has another version. Repository and installation cannot be changed: create another project.',
  params: project,
  body: z.strictObject({
    name: z.optional(Name),
    description: Description,
    defaultBranch: z.optional(BranchName),
    ...settings,
    version: z.optional(z.int().check(z.gte(0))),
  }),
  example: { defaultAgentType: 'openai-codex', maxConcurrentTasks: 3 },
  responses: { 200: Project },
  errors: ['PROJECT_NAME_TAKEN', 'VERSION_CONFLICT'],
});

export const detach = contract({
  summary: 'Detach a project from its repository permanently',
  description:
    'Nothing new can start in a detached project, and its members can only read it. Running agents continue until they end or are stopped. The owner can create another project with the same name or repository. Repeating the call returns the same answer.',
  params: project,
  responses: { 200: z.object({ success: z.literal(true), status: z.literal('detached') }) },
  errors: ['VERSION_CONFLICT'],
});
export const credentialLimits = contract({
  summary: 'Get the rate limits that you see in the project',
  description:
    "Those of your own credentials and of the credentials of the project, never of another member's own. `agentSessionId` selects the credential that this agent session got last; without one the list is empty.",
  params: project,
  query: z.object({ agentSessionId: z.optional(Ulid) }),
  responses: { 200: Limits },
});
