import type { AnswerOf, BerthClient, InputOf } from '../../../client/berth-client.js';

export type Profile = AnswerOf<'GET /api/projects/{projectId}/agent-profiles'>['profiles'][number];
export type NewProfile = InputOf<'POST /api/projects/{projectId}/agent-profiles'>['body'];
type ProfileChange = InputOf<'PATCH /api/projects/{projectId}/agent-profiles/{profileId}'>['body'];

/** Profiles and skills are the same kind of record at different addresses. */
export interface Kind {
  readonly key: 'profiles' | 'skills';
  readonly title: string;
  readonly noun: string;
  readonly about: string;
  list(client: BerthClient, projectId: string): AsyncIterable<Profile>;
  create(client: BerthClient, projectId: string, body: NewProfile): Promise<Profile>;
  change(client: BerthClient, of: Profile, body: ProfileChange): Promise<Profile>;
  remove(client: BerthClient, of: Profile): Promise<unknown>;
}

const limit = { limit: 100 };

export const profiles: Kind = {
  key: 'profiles',
  title: 'Agent profiles',
  noun: 'profile',
  about: 'A profile says who works: an agent with its model, permissions and variables. A task names one.',
  list: (client, projectId) =>
    client.list('GET /api/projects/{projectId}/agent-profiles', 'profiles', {
      params: { projectId },
      query: limit,
    }),
  create: (client, projectId, body) =>
    client.call('POST /api/projects/{projectId}/agent-profiles', { params: { projectId }, body }),
  change: (client, { projectId, id }, body) =>
    client.call('PATCH /api/projects/{projectId}/agent-profiles/{profileId}', {
      params: { projectId, profileId: id },
      body,
    }),
  remove: (client, { projectId, id }) =>
    client.call('DELETE /api/projects/{projectId}/agent-profiles/{profileId}', {
      params: { projectId, profileId: id },
    }),
};

export const skills: Kind = {
  key: 'skills',
  title: 'Skills',
  noun: 'skill',
  about: 'A skill says how work is done: instructions and settings that a task adds to its profile.',
  list: (client, projectId) =>
    client.list('GET /api/projects/{projectId}/skills', 'skills', { params: { projectId }, query: limit }),
  create: (client, projectId, body) =>
    client.call('POST /api/projects/{projectId}/skills', { params: { projectId }, body }),
  change: (client, { projectId, id }, body) =>
    client.call('PATCH /api/projects/{projectId}/skills/{skillId}', {
      params: { projectId, skillId: id },
      body,
    }),
  remove: (client, { projectId, id }) =>
    client.call('DELETE /api/projects/{projectId}/skills/{skillId}', { params: { projectId, skillId: id } }),
};
