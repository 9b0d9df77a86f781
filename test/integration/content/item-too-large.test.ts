import { expect, it } from 'vitest';
import { changeItem, putItem } from '../../../lambdas/domain/records/change-item.js';
import { transact } from '../../../lambdas/domain/records/transact.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { sharedTable } from '../../support/table.js';

const table = sharedTable();

type Key = { readonly pk: string; readonly sk: string };
type Grow = (table: Table, key: Key, text: string) => Promise<unknown>;

it.each<[string, Grow]>([
  ['put', (to, key, text) => putItem(to, { ...key, text }, {})],
  ['changed', (to, key, text) => changeItem(to, { key, set: { text }, when: {} })],
  ['changed with others', (to, key, text) => transact(to, [{ update: { key, set: { text }, when: {} } }])],
  ['put with others', (to, key, text) => transact(to, [{ put: { ...key, text }, when: {} }])],
])(
  'a record that is %s and outgrows the table is refused in words, not as a fault of ours',
  async (_, grow) => {
    const key = { pk: `RECORD#${newId()}`, sk: 'RECORD' };
    await putItem(table, key, {});

    await expect(grow(table, key, '語'.repeat(140_000))).rejects.toMatchObject({
      kind: 'too_large',
      code: 'PAYLOAD_TOO_LARGE',
    });
    await grow(table, key, '語'.repeat(130_000));
  },
);
