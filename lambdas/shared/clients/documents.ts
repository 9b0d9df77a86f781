import * as z from 'zod/mini';
import { readEnv } from '../env.js';
import { openTable } from '../open-table.js';
import type { Table } from '../table.js';

const env = readEnv({ TABLE_NAME: z.string() });

/** The one table, as every function that touches it sees it. */
export const table: Table = openTable(env.TABLE_NAME);
