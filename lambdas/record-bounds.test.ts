import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { rateLimits } from './domain/rate-limits/rate-limits.js';
import { recordBounds } from './record-bounds.js';

/** A kind that is computed, by the kinds that it can be. */
const computed: Readonly<Record<string, readonly string[]>> = {
  'profile.kind': ['profile', 'skill'],
  '`${profile.kind}-name`': ['profile-name', 'skill-name'],
};
const written = /[\s{']:?entity'?: (`[^`]+`|'[^']*'|[\w.]+)/g;
const notKinds = /^(?:z\.|string$|''$|'entity'$)/;

const sources = globSync('lambdas/**/*.ts')
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => readFileSync(file, 'utf8'));

/** Each kind that code of the control plane writes. */
const kinds = new Set(
  sources
    .flatMap((text) => [...text.matchAll(written)].map(([, kind = '']) => kind))
    .filter((kind) => !notKinds.test(kind))
    .flatMap((kind) => computed[kind] ?? [kind.replaceAll("'", '')]),
);

const items = /## Items\n(.*?)\n## /s.exec(readFileSync('docs/table.md', 'utf8'))?.[1] ?? '';
const described = [...items.matchAll(/^\| ([a-z, -]+) \|/gm)]
  .flatMap(([, names = '']) => names.split(', '))
  .filter((name) => name !== 'entity');

it('each kind of record that is written has a bound and an end', () => {
  expect(kinds.size).toBeGreaterThan(60);
  expect([...kinds].toSorted()).toEqual(Object.keys(recordBounds).toSorted());
});

it('docs/table.md describes each kind of record', () => {
  expect([...new Set(described)].toSorted()).toEqual(Object.keys(recordBounds).toSorted());
});

it('a kind that never ends has one record of a person, a project or the deployment, or a number', () => {
  const endless = Object.entries(recordBounds).filter(([, { ends }]) => ends === 'never');

  for (const [kind, { bound }] of endless) expect(bound, kind).toMatch(/\bone\b|\d/);
});

const rows = Object.entries(recordBounds).map(
  ([kind, { madeBy, bound, ends }]) => `| ${kind} | ${madeBy} | ${bound} | ${ends} |`,
);

const page = `# Bounds of records

Made from \`lambdas/record-bounds.ts\`; \`npm run generate\` updates this page. [table.md](table.md) has the keys of each kind of record,
[limits.md](limits.md) the limits in capital letters. A test fails for a kind that is written and not listed here.

| Kind | Made by | Bound | Ends |
|---|---|---|---|
${rows.join('\n')}

The interface documents name no time after which a record must be deleted, and none that must be kept for ever. These stay:

- people, with their identity, grant and settings: one of each account that the sign-in policy admits;
- projects, also detached ones, which members can still read, with tasks and their chats: a person has 100 attached ones, and makes at most
  ${rateLimits.PROJECT_CREATE.limit} an hour;
- counts and limits: one record of each person, project or deployment.
`;

it('lists every kind in docs/record-bounds.md', async () => {
  await expect(page).toMatchFileSnapshot('../docs/record-bounds.md');
});
