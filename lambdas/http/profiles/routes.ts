import type { Route } from '../../route-row.js';

/** The rows of agent profiles or of skills: two areas with the same routes. */
function rowsOf(area: 'profiles' | 'skills', segment: string, param: string): readonly Route[] {
  const all = `/api/projects/{projectId}/${segment}` as const;
  const one = `${all}/{${param}}` as const;
  const reader = { kind: 'capability', capability: 'project:read' } as const;
  const editor = { kind: 'capability', capability: 'project:update' } as const;
  const write = { auth: editor, grants: ['table:write', 'secrets:seal'], limit: 'CHANGE' } as const;
  return [
    { method: 'GET', path: all, file: `${area}/list`, auth: reader, grants: ['table:read'] },
    { method: 'POST', path: all, file: `${area}/create`, ...write },
    { method: 'GET', path: one, file: `${area}/get`, auth: reader, grants: ['table:read'] },
    { method: 'PATCH', path: one, file: `${area}/change`, ...write },
    {
      method: 'DELETE',
      path: one,
      file: `${area}/remove`,
      auth: { ...editor, evenDetached: true },
      grants: ['table:write'],
      limit: 'CHANGE',
    },
  ];
}

export const routes: readonly Route[] = [
  ...rowsOf('profiles', 'agent-profiles', 'profileId'),
  ...rowsOf('skills', 'skills', 'skillId'),
];
