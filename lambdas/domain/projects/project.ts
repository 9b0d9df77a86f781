import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';

export const maxProjectsPerUser = 100;

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
  status: z.enum(['active', 'detached']),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Project = z.infer<typeof Project>;

export const projectKey = (projectId: string) => ({ pk: `PROJECT#${projectId}`, sk: 'PROJECT' });

export const projectItem = (project: Project) => ({
  ...projectKey(project.projectId),
  entity: 'project',
  schemaVersion: 1,
  ...project,
});

/** Names that people cannot tell apart are one name. */
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
