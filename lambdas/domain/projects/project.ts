import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { type LaunchLayer, LaunchSettings } from '../launch/launch-layer.js';
import { maxEmptyLifetimeMs } from '../nodes/node-life.js';
import { PlacementStrategy } from '../nodes/placement-strategy.js';
import type { Conditions } from '../records/conditions.js';
import { longestIdleTimeoutMs, shortestIdleTimeoutMs } from '../workspaces/idle-rules.js';

export const maxProjectsPerUser = 100;
/** A project change writes all its members in one transaction, which holds at most 100 writes. */
export const maxMembers = 90;

/**
 * What a project says of how agents work in it; what is absent is left to the layers below, or to
 * `projectLimits`.
 */
export const ProjectSettings = z.strictObject({
  ...LaunchSettings.shape,
  maxConcurrentTasks: limit(1, 100),
  maxDispatchDepth: limit(0, 10),
  maxSubTasksPerTask: limit(0, 100),
  /** For the nodes of the people who work in it. */
  placementStrategy: z.optional(z.nullable(PlacementStrategy)),
  /** The most workspaces on a node that holds one of the project; at most the deployment's. */
  maxWorkspacesPerNode: limit(1, 100),
  /** A workspace without a chat stops after this time without use. */
  workspaceIdleTimeoutMs: limit(shortestIdleTimeoutMs, longestIdleTimeoutMs),
  /** A node stays this long after its last workspace, if that one is of the project. */
  warmNodeTimeoutMs: limit(0, maxEmptyLifetimeMs),
  /** A workspace that ran out of memory starts again with one size more; absent: it does. */
  raiseMemoryAfterOom: z.optional(z.nullable(z.boolean())),
});
export type ProjectSettings = z.infer<typeof ProjectSettings>;

function limit(least: number, most: number) {
  return z.optional(z.nullable(z.int().check(z.gte(least), z.lte(most))));
}

export const Project = z.object({
  projectId: Ulid,
  /** Its owner. */
  userId: Ulid,
  name: z.string(),
  /** Unique among its owner's projects. */
  normalizedName: z.string(),
  description: z.nullable(z.string()),
  installationId: z.string(),
  /** As the code host spells it; unique among its owner's projects, whatever the case. */
  repository: z.string(),
  githubRepoId: z.string(),
  defaultBranch: z.string(),
  /** Nothing new can start in a detached one. */
  status: z.enum(['active', 'detached']),
  settings: z.optional(ProjectSettings),
  /** Active members. */
  memberCount: z.optional(z.int()),
  /**
   * The creator, until the first other person joins: nobody else has written its settings. Absent
   * afterwards, and in projects that were created before the attribute.
   */
  soleMemberId: z.optional(Ulid),
  /** Grows with every change of it or of its members; absent: 0. */
  version: z.optional(z.int()),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Project = z.infer<typeof Project>;

/**
 * Whether the person wrote all settings of the project. A project that was created before the
 * attribute existed may have settings of earlier members: it has no such person.
 */
export const isOnlyMember = ({ soleMemberId }: Pick<Project, 'soleMemberId'>, userId: string): boolean =>
  soleMemberId === userId;

export const projectKey = (projectId: string) => ({ pk: `PROJECT#${projectId}`, sk: 'PROJECT' });

/** Of the index `byOwner`: the attached projects of a repository. */
export const projectsOfRepository = (githubRepoId: string) => `REPOSITORY#${githubRepoId}#PROJECTS`;

/** Of an attached project. A detached one leaves the index: it gets no event of its repository. */
export const repositoryIndex = ({ projectId, githubRepoId }: Project) => ({
  ownerPk: projectsOfRepository(githubRepoId),
  ownerSk: projectId,
});

export const projectItem = (project: Project) => ({
  ...projectKey(project.projectId),
  entity: 'project',
  schemaVersion: 1,
  ...(project.status === 'active' ? repositoryIndex(project) : {}),
  ...project,
});

/**
 * How many tasks may run at once, how deep they may dispatch others, and how many each may
 * dispatch.
 */
export const projectLimits = ({ settings }: Pick<Project, 'settings'>) => ({
  maxConcurrentTasks: settings?.maxConcurrentTasks ?? 10,
  maxDispatchDepth: settings?.maxDispatchDepth ?? 3,
  maxSubTasksPerTask: settings?.maxSubTasksPerTask ?? 5,
});

export function projectLayer({ projectId, settings }: Pick<Project, 'projectId' | 'settings'>): LaunchLayer {
  const {
    maxConcurrentTasks,
    maxDispatchDepth,
    maxSubTasksPerTask,
    placementStrategy,
    maxWorkspacesPerNode,
    workspaceIdleTimeoutMs,
    warmNodeTimeoutMs,
    raiseMemoryAfterOom,
    ...said
  } = settings ?? {};
  return { ...said, id: projectId };
}

/** Holds of the item while the project is still what was read. */
export const unchangedProject = ({ version = 0 }: Pick<Project, 'version'>): Conditions => ({
  exists: true,
  absentOrBefore: { version: version + 1 },
});

/** Names that people cannot distinguish are one name. */
export const normalizeName = (name: string): string =>
  name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();

/** The longest name of the widest characters would not fit into a key. */
const maxNameBytes = 512;

/** What people call projects and what is in them; unique among its kind by `normalizeName`. */
export const Name = z.string().check(
  z.trim(),
  z.minLength(1),
  z.maxLength(100),
  z.regex(/^[^\p{Cc}]*$/u, 'No control characters'),
  z.refine((name) => Buffer.byteLength(normalizeName(name)) <= maxNameBytes, 'Too long'),
);

/** Items that exist only to make a name and a repository unique among a user's projects. */
export const projectNameKey = (userId: string, normalizedName: string) => ({
  pk: `USER#${userId}`,
  sk: `PROJECTNAME#${normalizedName}`,
});
export const projectRepositoryKey = (userId: string, repository: string) => ({
  pk: `USER#${userId}`,
  sk: `PROJECTREPO#${repository.toLowerCase()}`,
});

export const projectNameClaim = ({ projectId, userId, normalizedName }: Project) => ({
  ...projectNameKey(userId, normalizedName),
  entity: 'project-name',
  schemaVersion: 1,
  projectId,
});
export const projectRepositoryClaim = ({ projectId, userId, repository }: Project) => ({
  ...projectRepositoryKey(userId, repository),
  entity: 'project-repository',
  schemaVersion: 1,
  projectId,
});
