import { expect, it } from 'vitest';
import { withoutDocumentation } from './executed-contracts.js';

it('keeps what the server executes of a contract and removes its documentation', () => {
  const contract = `  readFile: {
    method: 'get',
    summary: 'Read a file',
    description:
      'A long text.',
    query: z.object({
      path: Path,
    }),
    responses: {
      200: z.strictObject({
        filePath: z.string(),
      }),
    },
    errors: ['not_found'],
    token: 'workspace',
  },
  next`;

  expect(withoutDocumentation(contract)).toBe(`  readFile: {
    method: 'get',
    query: z.object({
      path: Path,
    }),
    token: 'workspace',
  },
  next`);
});
