import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scalingTable } from './table.js';

/** Prints the table, and writes it into docs/scaling.md. */
const page = join(import.meta.dirname, '../../docs/scaling.md');
const [before = '', after = ''] = readFileSync(page, 'utf8').split(
  /(?<=<!-- scaling: begin -->\n)[\s\S]*(?=<!-- scaling: end -->)/,
);
console.log(scalingTable());
writeFileSync(page, `${before}\n${scalingTable()}\n\n${after}`);
