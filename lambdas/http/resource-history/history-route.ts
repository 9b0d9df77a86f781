import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { ResourceHistoryAnswer } from '../../../protocol/resource-history-reads.js';
import type { Item } from '../../domain/records/batch-items.js';
import type { Key } from '../../domain/records/changes.js';
import { type HistoryScope, keysOfHistory, readHistory } from '../../domain/resource-history/read-history.js';
import { recordRoute } from '../../edge/capability-route.js';
import { pathId } from '../../edge/parse-request.js';
import type { HttpHandler } from '../../edge/route.js';
import { uploads } from '../../shared/clients/uploads.js';
import type { ofSession, ofTask, ofWorkspace } from './contract.js';

interface Scoped {
  readonly of: HistoryScope['of'];
  /** The parameter of the path with the id. */
  readonly param: 'sessionId' | 'taskId' | 'workspaceId';
  readonly key: (projectId: string, id: string) => Key;
  readonly idOf: (record: Item) => string;
  readonly missing: () => Error;
}

/** The history of a record of the project. Two table calls, and one object for a `chunkId`. */
export function historyRoute(
  contract: typeof ofSession | typeof ofTask | typeof ofWorkspace,
  { of, param, key, idOf, missing }: Scoped,
): HttpHandler {
  const scopeOf = (event: APIGatewayProxyEventV2): HistoryScope => {
    return { projectId: pathId(event, 'projectId'), scopeId: pathId(event, param), of };
  };
  return recordRoute(
    contract,
    {
      keys: (event) => {
        const scope = scopeOf(event);
        const asked = new URLSearchParams(event.rawQueryString).get('chunkId') ?? undefined;
        return [key(scope.projectId, scope.scopeId), ...keysOfHistory(scope, asked)];
      },
      read: (found: Item | undefined, { project }) => {
        if (found?.projectId !== project.projectId) throw missing();
        return { scopeId: idOf(found) };
      },
    },
    async ({ scopeId, query, project: { projectId }, find, table, now }) => {
      const scope = { projectId, scopeId, of };
      const request = { scope, chunkId: query.chunkId, find, objects: uploads, now };
      const body: ResourceHistoryAnswer = await readHistory(table, request);
      return { status: 200, body };
    },
  );
}
