import { useQuery } from '@tanstack/react-query';
import { useServices } from '../app/services.js';
import { signOut } from '../app/sign-out.js';
import { lastProject, useProjects } from '../projects/use-projects.js';
import { chooseTheme, themes } from '../theme/chosen-theme.js';
import type { Entry } from './match.js';

/** Pages, projects, the newest tasks of the project that was open last, and actions. */
export function useEntries(): readonly Entry[] {
  const services = useServices();
  const projects = useProjects().data ?? [];
  const tasks = useNewestTasks(lastProject(projects)?.id);
  const at = (path: string, entry: Omit<Entry, 'id' | 'run'>): Entry => ({
    ...entry,
    id: `${entry.group}${path}`,
    run: () => services.surroundings.goTo(path),
  });
  return [
    ...pages.map(([path, name]) => at(path, { group: 'Pages', name })),
    ...projects.map(({ id, name, repository }) =>
      at(`/projects/${id}`, { group: 'Projects', name, detail: repository }),
    ),
    ...tasks.map(({ id, projectId, title, outputBranch }) =>
      at(`/projects/${projectId}/tasks/${id}`, { group: 'Tasks', name: title, detail: outputBranch ?? '' }),
    ),
    ...actions.map(([path, name]) => at(path, { group: 'Actions', name })),
    ...themes.map(([theme, name]) => ({
      ...{ id: `theme-${theme}`, group: 'Actions' as const, name: `Theme: ${name.toLowerCase()}` },
      run: () => chooseTheme(theme),
    })),
    { id: 'sign-out', group: 'Actions', name: 'Sign out', run: () => void signOut(services) },
  ];
}

const pages = [
  ['/inbox', 'Inbox'],
  ['/', 'Tasks'],
  ['/projects', 'Projects'],
  ['/workspaces', 'Workspaces'],
  ['/start', 'First steps'],
  ['/settings', 'Settings'],
  ['/admin', 'Admin: nodes'],
] as const;
const actions = [
  ['/', 'New task'],
  ['/projects', 'New project'],
  ['/new', 'New workspace'],
] as const;

function useNewestTasks(projectId = '') {
  const { client } = useServices();
  const newest = useQuery({
    queryKey: ['newest-tasks', projectId],
    enabled: projectId !== '',
    queryFn: ({ signal }) =>
      client.call('GET /api/projects/{projectId}/tasks', {
        params: { projectId },
        query: { limit: 20 },
        signal,
      }),
  });
  return newest.data?.tasks ?? [];
}
