import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BerthClient } from '../../../client/berth-client.js';
import type { Services } from '../app/services.js';
import { tasksQuery } from '../tasks/task-list.js';
import { readProjectAhead, readProjectsAhead, readTaskAhead, readTasksAhead } from './read-ahead.js';
import { projectsQuery, rememberProject } from './use-projects.js';

const projectId = '01JZ0000000000000000000001';
const taskId = '01JZ0000000000000000000002';

let requested: string[];
let services: Services;

beforeEach(() => {
  const stored = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
  requested = [];
  const fetch = async (input: string | URL | Request) => {
    requested.push(new URL(String(input)).pathname);
    return Response.json({ projects: [], tasks: [], nextCursor: null });
  };
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: 5_000 } } });
  const client = new BerthClient({ url: 'http://localhost', fetch });
  services = { queries, client, surroundings: {} as Services['surroundings'] };
});
afterEach(() => {
  services.queries.clear();
  vi.unstubAllGlobals();
});

it('asks for nothing in a browser in which nobody has opened a project', () => {
  readProjectsAhead(services);
  readTasksAhead(services);
  readTasksAhead(services, projectId);
  readProjectAhead(services, projectId);
  readTaskAhead(services, { projectId, taskId });

  expect(requested).toEqual([]);
});

it('asks at once for the projects and the tasks of the one that was open last', async () => {
  rememberProject(projectId);
  readProjectsAhead(services);
  readTasksAhead(services);
  const tasks = `/api/projects/${projectId}/tasks`;
  expect(requested).toEqual(['/api/projects', tasks]);

  // The page makes no request of its own.
  await services.queries.fetchQuery(projectsQuery(services));
  await services.queries.fetchInfiniteQuery(tasksQuery(services, projectId));
  expect(requested).toEqual(['/api/projects', tasks]);
});
