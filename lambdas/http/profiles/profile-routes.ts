import { createOnce } from '../../domain/idempotency/create-once.js';
import { changeProfile } from '../../domain/profiles/change-profile.js';
import { createProfile, deleteProfile, findProfile } from '../../domain/profiles/create-and-delete.js';
import { profileNotFound } from '../../domain/profiles/errors.js';
import { type ProfileKind, ProfileOrSkill, profileKey } from '../../domain/profiles/profile-or-skill.js';
import { type ByCapability, capabilityRoute, recordRoute } from '../../edge/capability-route.js';
import type { Contract } from '../../edge/contract.js';
import { idempotencyKeyOf } from '../../edge/idempotency-key.js';
import { pathId } from '../../edge/parse-request.js';
import type { Handle, HttpHandler, ReplyOf } from '../../edge/route.js';
import { secretBox } from '../../edge/secret-box.js';
import type { profiles, skills } from './contract.js';
import { changeOf, profileView } from './profile-view.js';

const paramOf = { profile: 'profileId', skill: 'skillId' } as const satisfies Record<ProfileKind, string>;

type Contracts = typeof profiles | typeof skills;

type ByProfile = ByCapability & { readonly profile: ProfileOrSkill };

/**
 * A route about one profile or skill of `{projectId}`, read together with the caller's rights. One
 * table call.
 */
function profileRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  kind: ProfileKind,
  handle: Handle<C, ByProfile, Out>,
): HttpHandler {
  return recordRoute(
    contract,
    {
      keys: (event) => [profileKey(kind, pathId(event, 'projectId'), pathId(event, paramOf[kind]))],
      read: (found) => {
        if (!found) throw profileNotFound(kind);
        return { profile: ProfileOrSkill.parse(found) };
      },
    },
    handle,
  );
}

const segments = { profile: 'agent-profiles', skill: 'skills' } as const satisfies Record<
  ProfileKind,
  string
>;

export function creation(contract: Contracts['create'], kind: ProfileKind): HttpHandler {
  return capabilityRoute(contract, async ({ request, params, body, user, table, now, newId }) => {
    const { projectId } = params;
    const { userId } = user;
    const { name, description = null } = body;
    const draft = { ...changeOf(body), kind, projectId, name, description, createdBy: userId };
    const profile = await createOnce(table, {
      kind,
      userId,
      key: idempotencyKeyOf(request, { projectId, body }),
      newId,
      now,
      find: (profileId) => findProfile(table, profileKey(kind, projectId, profileId)),
      create: (profileId) => createProfile({ table, secrets: secretBox }, { ...draft, profileId }, now),
    });
    const location = `/api/projects/${projectId}/${segments[kind]}/${profile.profileId}`;
    return { status: 201, body: profileView(profile), headers: { location } };
  });
}

export const reading = (contract: Contracts['get'], kind: ProfileKind): HttpHandler =>
  profileRoute(contract, kind, ({ profile }) => ({ status: 200, body: profileView(profile) }));

export const change = (contract: Contracts['change'], kind: ProfileKind): HttpHandler =>
  profileRoute(contract, kind, async ({ body, profile, table, now }) => {
    const wanted = { ...changeOf(body), name: body.name, version: body.version };
    const changed = await changeProfile({ table, secrets: secretBox }, profile, { change: wanted, now });
    return { status: 200, body: profileView(changed) };
  });

export const removal = (contract: Contracts['remove'], kind: ProfileKind): HttpHandler =>
  profileRoute(contract, kind, async ({ profile, table }) => {
    await deleteProfile(table, profile);
    return { status: 200, body: { success: true } };
  });
