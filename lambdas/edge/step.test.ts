import type { Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { Conflict } from '../shared/errors.js';
import { step } from './step.js';

const context = { awsRequestId: 'request' } as Context;
const Input = z.strictObject({ workspaceId: z.string(), generation: z.int() });
const input = { workspaceId: 'w', generation: 1 };

describe('a step of a saga', () => {
  it('is given its input parsed, with table, clock and ids, and its output is passed on', async () => {
    const echo = step(Input, ({ input: { generation }, table, now, newId }) => ({
      generation,
      table: table.name,
      isNow: Math.abs(Date.now() - now.getTime()) < 5_000,
      id: newId(),
    }));

    expect(await echo(input, context)).toEqual({
      generation: 1,
      table: 'none',
      isNow: true,
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
    });
  });

  it.each([[{}], [{ ...input, generation: '1' }], [{ ...input, more: 1 }], [null], ['text']])(
    'is not run with an input that is none of its own: %j',
    async (wrong) => {
      let runs = 0;
      const count = step(Input, () => {
        runs += 1;
      });

      await expect(count(wrong, context)).rejects.toThrow();
      expect(runs).toBe(0);
    },
  );

  it('fails with the error itself, whose name the state machine matches', async () => {
    class NodeFull extends Conflict {
      override readonly name = 'NodeFull';
    }
    const failing = step(Input, () => {
      throw new NodeFull('full');
    });

    await expect(failing(input, context)).rejects.toMatchObject({ name: 'NodeFull', message: 'full' });
  });
});
