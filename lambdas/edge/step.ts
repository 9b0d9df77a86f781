import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type { z } from 'zod/mini';
import { table } from '../shared/clients/documents.js';
import { newId } from '../shared/ids.js';
import { type Log, rootLog } from '../shared/log.js';
import type { Table } from '../shared/table.js';

interface StepCall<Input> {
  readonly input: Input;
  readonly table: Table;
  readonly now: Date;
  readonly newId: () => string;
  readonly log: Log;
}

/**
 * The handler of a saga step: the schema parses its input. An error keeps its `name`: Retry and
 * Catch of the state machine match it.
 */
export function step<Schema extends z.ZodMiniType, Output>(
  schema: Schema,
  handle: (call: StepCall<z.output<Schema>>) => Promise<Output> | Output,
): (input: unknown, context: Context) => Promise<Output> {
  const stack = middy<unknown, Output>()
    .onError(({ error, event, context }) => {
      logOf(context).error('Step failed', { input: event, error: error ?? undefined });
    })
    .handler((event: unknown, context: Context) => {
      const call = { input: schema.parse(event), table, now: new Date(), newId, log: logOf(context) };
      return Promise.resolve(handle(call));
    });
  return (input, context) => stack(input, context);
}

const logOf = ({ awsRequestId }: Context): Log =>
  rootLog.createChild({ persistentKeys: { requestId: awsRequestId } });
