import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { InstallationId, RepositoryName } from '../../domain/code-host/code-host.js';
import { Name } from '../../domain/projects/project.js';
import { contract } from '../../edge/contract.js';
import { nextCursor, pageQuery } from '../../edge/page-query.js';
import { capabilities } from '../../routes.js';

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

const Project = z.extend(Summary, {
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
  description:
    'The repository must be visible to you and belong to the account of the installation. Name and repository are unique among your projects.',
  body: z.strictObject({
    name: Name,
    description: z.optional(z.nullable(z.string().check(z.maxLength(2_000)))),
    installationId: InstallationId,
    repository: RepositoryName,
    /** The code host's own default when absent. */
    defaultBranch: z.optional(
      z.string().check(z.minLength(1), z.maxLength(255), z.regex(/^[^\s\p{Cc}~^:?*[\\]+$/u)),
    ),
  }),
  responses: { 201: Project },
  errors: [
    'NOT_FOUND',
    'PROJECT_NAME_TAKEN',
    'PROJECT_REPOSITORY_TAKEN',
    'PROJECT_LIMIT_REACHED',
    'CODE_HOST_UNAVAILABLE',
    'CODE_HOST_ACCESS_LOST',
    'SERVICE_UNAVAILABLE',
  ],
});

export const list = contract({
  summary: 'Your projects, newest first',
  query: z.strictObject(pageQuery),
  responses: { 200: z.object({ projects: z.array(Summary), nextCursor }) },
});

export const get = contract({
  summary: 'A project, with your role in it',
  params: z.object({ projectId: Ulid }),
  responses: { 200: Project },
});
