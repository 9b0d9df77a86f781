import { describe, expect, it } from 'vitest';
import { type Resource, synthesise } from './testing.js';

/**
 * One file a stack, for diffs in review: a line a property. After a change that is meant:
 * `vitest run --project unit infra/stacks.snapshot -u`.
 */
describe('the template', () => {
  const { stacks } = synthesise();

  it.each([...stacks.keys()])('of %s is as it was reviewed', async (name) => {
    const resources = Object.entries(stacks.get(name) ?? {}).map(described);
    await expect(resources.sort().join('\n')).toMatchFileSnapshot(`__snapshots__/${name}.txt`);
  });
});

function described([id, { Type, Properties = {}, DeletionPolicy }]: [string, Resource]): string {
  const lines = Object.entries(Properties).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`);
  const head = `${id} (${Type}${DeletionPolicy ? `, ${DeletionPolicy} on deletion` : ''})`;
  return [head, ...lines, ''].join('\n');
}
