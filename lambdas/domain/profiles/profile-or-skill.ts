import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import type { Table } from '../../shared/table.js';
import { type PageRequest, queryPage } from '../cursors/query-page.js';
import { type LaunchLayer, LaunchSettings } from '../launch/launch-layer.js';
import { orNull, withoutNulls } from '../records/changes.js';
import { SealedSecret, type SecretContext } from '../secrets/sealed-secret.js';

/**
 * A profile says who works, a skill how it is done. Both are launch settings, in one record type.
 */
export const ProfileKind = z.enum(['profile', 'skill']);
export type ProfileKind = z.infer<typeof ProfileKind>;

/** Limit of one kind in a project. */
export const maxProfilesOfKind = 100;
export const maxVariables = 32;

export const VariableName = z
  .string()
  .check(z.maxLength(128), z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'Not a variable name'));

/** Only projects and people have defaults by agent type; a profile is for one type. */
export const ProfileSettings = z.omit(LaunchSettings, { agentDefaults: true });
export type ProfileSettings = z.infer<typeof ProfileSettings>;

export const ProfileOrSkill = z.object({
  kind: ProfileKind,
  profileId: Ulid,
  projectId: Ulid,
  name: z.string(),
  /** Unique among those of its kind in the project. */
  normalizedName: z.string(),
  description: orNull(z.string()),
  /** Settings that it leaves to other layers are absent. */
  settings: ProfileSettings,
  /** By name. */
  environment: z.record(z.string(), SealedSecret),
  /** Grows with every change. */
  version: z.int(),
  createdBy: Ulid,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export type ProfileOrSkill = z.infer<typeof ProfileOrSkill>;

const words = { profile: 'PROFILE', skill: 'SKILL' } as const satisfies Record<ProfileKind, string>;

const profilesOfProject = (projectId: string): string => `PROJECT#${projectId}`;
const profilePrefix = (kind: ProfileKind): string => `${words[kind]}#`;

export const profileKey = (kind: ProfileKind, projectId: string, profileId: string) => ({
  pk: profilesOfProject(projectId),
  sk: `${profilePrefix(kind)}${profileId}`,
});

export const agentProfileKey = (projectId: string, profileId: string) =>
  profileKey('profile', projectId, profileId);
export const skillKey = (projectId: string, skillId: string) => profileKey('skill', projectId, skillId);

/** The item that makes a name unique. */
export const profileNameKey = ({
  kind,
  projectId,
  normalizedName,
}: Pick<ProfileOrSkill, 'kind' | 'projectId' | 'normalizedName'>) => ({
  pk: profilesOfProject(projectId),
  sk: `${words[kind]}NAME#${normalizedName}`,
});

/** The fields in which a project counts its profiles and skills. */
export const profileCountField = { profile: 'profileCount', skill: 'skillCount' } as const;

export const profileItem = (profile: ProfileOrSkill) => ({
  ...profileKey(profile.kind, profile.projectId, profile.profileId),
  entity: profile.kind,
  schemaVersion: 1,
  ...withoutNulls(profile),
});

/** Encryption context: a value that is moved to another variable or record cannot be decrypted. */
export const variableContext = (
  { kind, projectId, profileId }: Pick<ProfileOrSkill, 'kind' | 'projectId' | 'profileId'>,
  variable: string,
): SecretContext => ({ owner: profilesOfProject(projectId), record: `${kind}#${profileId}#${variable}` });

export const layerOf = ({ profileId, settings, environment }: ProfileOrSkill): LaunchLayer => ({
  ...settings,
  id: profileId,
  environment: Object.keys(environment),
});

/** Profiles or skills of a project, oldest first; one table call. */
export async function listProfiles(
  table: Table,
  { kind, projectId }: { readonly kind: ProfileKind; readonly projectId: string },
  page: Omit<PageRequest, 'query'>,
): Promise<{ readonly profiles: readonly ProfileOrSkill[]; readonly nextCursor: string | null }> {
  const { items, nextCursor } = await queryPage(
    table,
    {
      KeyConditionExpression: 'pk = :project AND begins_with(sk, :kind)',
      ExpressionAttributeValues: { ':project': profilesOfProject(projectId), ':kind': profilePrefix(kind) },
      ConsistentRead: true,
    },
    { ...page, query: `${kind}s of ${projectId}` },
  );
  return { profiles: items.map((item) => ProfileOrSkill.parse(item)), nextCursor };
}
