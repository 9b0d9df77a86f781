import type { AnswerOf } from '../../../client/berth-client.js';

export type Member = AnswerOf<'GET /api/projects/{projectId}/members'>['members'][number];
export const membersKey = (projectId: string) => ['members', projectId] as const;

export const nameOfMember = ({ login, name, userId }: Member): string =>
  [name, login && `(${login})`].filter(Boolean).join(' ') || `Person ${userId}`;
