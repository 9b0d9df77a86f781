import { expect } from 'vitest';
import type { Table } from '../../lambdas/shared/table.js';
import { callBudgetOf, countCalls } from './count-calls.js';
import { functionEnv } from './function-env.js';
import { type Invoke, loadRoute, routeOf, type TestReply, type TestRequest } from './invoke.js';
import { emptyTable } from './table.js';

export interface LoadedRoutes {
  readonly table: Table;
  /** Calls a route, at the same time as others if need be. */
  readonly send: (file: string, request?: TestRequest) => Promise<TestReply>;
  /** Calls a route, and fails when it makes more table calls than its budget. */
  readonly call: (file: string, request?: TestRequest) => Promise<TestReply>;
}

/**
 * Loads the handlers of these routes on an empty table. Call it before their modules are imported.
 */
export async function loadRoutes(files: readonly string[]): Promise<LoadedRoutes> {
  const { name } = await emptyTable();
  Object.assign(process.env, functionEnv, { TABLE_NAME: name });
  const { table } = await import('../../lambdas/shared/clients/documents.js');
  const invokes = new Map<string, Invoke>();
  for (const file of files) invokes.set(file, await loadRoute(file));
  const calls = countCalls(table.client);

  const send = (file: string, request?: TestRequest) => {
    const invoke = invokes.get(file);
    if (!invoke) throw new Error(`${file} is not loaded`);
    return invoke(request);
  };
  return {
    table,
    send,
    call: async (file, request) => {
      calls.reset();
      const reply = await send(file, request);
      expect(calls.names.length, calls.names.join()).toBeLessThanOrEqual(
        callBudgetOf(file, routeOf(file).method),
      );
      return reply;
    },
  };
}

/** Those of these ids that the path of the route has. */
export const pathIds = (file: string, ids: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(ids).filter(([name]) => routeOf(file).path.includes(`{${name}}`)));
