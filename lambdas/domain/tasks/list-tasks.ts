import { byOwner, byParent, type Table } from '../../shared/table.js';
import { type PageRequest, queryPage } from '../cursors/query-page.js';
import { priorityPrefix, Task, taskPrefix, tasksOfProject } from './task.js';
import type { TaskStatus } from './task-status.js';

export const taskSorts = ['createdAtDesc', 'updatedAtDesc', 'priorityDesc'] as const;
type TaskSort = (typeof taskSorts)[number];

interface TaskQuery {
  readonly projectId: string;
  readonly status?: TaskStatus | undefined;
  readonly minPriority?: number | undefined;
  readonly sort: TaskSort;
}

/**
 * One table call. A filtered page can hold fewer tasks than its limit and still have a next page.
 */
export async function listProjectTasks(
  table: Table,
  query: TaskQuery,
  page: Omit<PageRequest, 'query'>,
): Promise<{ readonly tasks: readonly Task[]; readonly nextCursor: string | null }> {
  const { items, nextCursor } = await queryPage(table, expressions(query), {
    ...page,
    query: `tasks ${JSON.stringify(query)}`,
  });
  return { tasks: items.map((item) => Task.parse(item)), nextCursor };
}

/** Each order is one partition: of the table by creation, of an index by the others. */
function expressions({ projectId, status, minPriority = 0, sort }: TaskQuery) {
  const order = orders[sort](projectId, minPriority);
  const least = minPriority > 0 && sort !== 'priorityDesc';
  const filters = [...(status ? ['#status = :status'] : []), ...(least ? ['priority >= :least'] : [])];
  return {
    ...order,
    ExpressionAttributeValues: {
      ...order.ExpressionAttributeValues,
      ...(status ? { ':status': status } : {}),
      ...(least ? { ':least': minPriority } : {}),
    },
    ...(filters.length > 0 ? { FilterExpression: filters.join(' AND ') } : {}),
    ...(status ? { ExpressionAttributeNames: { '#status': 'status' } } : {}),
    ScanIndexForward: false,
  };
}

const orders: Readonly<Record<TaskSort, (projectId: string, minPriority: number) => Order>> = {
  createdAtDesc: (projectId) => ({
    KeyConditionExpression: 'pk = :project AND begins_with(sk, :tasks)',
    ExpressionAttributeValues: { ':project': `PROJECT#${projectId}`, ':tasks': taskPrefix },
  }),
  updatedAtDesc: (projectId) => ({
    IndexName: byParent,
    KeyConditionExpression: 'parentPk = :tasks',
    ExpressionAttributeValues: { ':tasks': tasksOfProject(projectId) },
  }),
  priorityDesc: (projectId, minPriority) => ({
    IndexName: byOwner,
    KeyConditionExpression: 'ownerPk = :tasks AND ownerSk >= :least',
    ExpressionAttributeValues: {
      ':tasks': tasksOfProject(projectId),
      ':least': priorityPrefix(minPriority),
    },
  }),
};

interface Order {
  readonly IndexName?: string;
  readonly KeyConditionExpression: string;
  readonly ExpressionAttributeValues: Readonly<Record<string, unknown>>;
}
