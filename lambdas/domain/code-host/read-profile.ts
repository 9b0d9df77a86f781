import * as z from 'zod/mini';
import type { CodeHost } from './code-host.js';
import { codeHostRequest } from './request.js';

const Profile = z.object({
  id: z.int(),
  login: z.string(),
  name: z.nullish(z.string()),
  email: z.nullish(z.string()),
  avatar_url: z.nullish(z.string()),
});

/** Who a person is on the code host. */
export interface CodeHostProfile {
  readonly id: string;
  readonly login: string;
  readonly name: string;
  readonly email: string | null;
  readonly avatarUrl: string | null;
}

export async function readProfile(codeHost: CodeHost, token: string): Promise<CodeHostProfile> {
  const profile = await codeHostRequest(codeHost, { path: '/user', token, schema: Profile, what: 'User' });
  return {
    id: String(profile.id),
    login: profile.login,
    name: profile.name || profile.login,
    email: profile.email ?? null,
    avatarUrl: profile.avatar_url ?? null,
  };
}
