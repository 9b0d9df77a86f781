import { expect, it } from 'vitest';
import { filesBelow, textOf } from '../supply-chain/repository-files.js';

// The application's installation has more rights than any person: nobody may use them directly.

const sources = filesBelow('lambdas').filter((path) => /\.ts$/.test(path) && !/\.test\.ts$/.test(path));
const importersOf = (file: string) =>
  sources.filter((path) => textOf(path).includes(`/${file}.js'`)).toSorted();

it('uses the application’s own key in one place: to mint a git token', () => {
  const users = sources.filter((path) => /\bprivateKey\b/.test(textOf(path))).toSorted();

  expect(users).toEqual([
    'lambdas/domain/code-host/code-host.ts',
    'lambdas/domain/code-host/mint-git-token.ts',
    // That of push messages is another key.
    'lambdas/domain/push/application-key.ts',
  ]);
});

it('mints a git token only after the check of the owner’s access', () => {
  expect(importersOf('mint-git-token')).toEqual([
    'lambdas/domain/code-host/git-token.ts',
    'lambdas/domain/code-host/give-git-token.ts',
  ]);
  expect(textOf('lambdas/domain/code-host/git-token.ts')).toContain('import type { GitToken }');
  expect(importersOf('give-git-token')).toEqual(['lambdas/http/callbacks/git-token.ts']);
});

it('asks everything else of the code host with the token of the person concerned', () => {
  expect(
    importersOf('code-host/request')
      .concat(importersOf('request'))
      .filter((path) => path.includes('code-host'))
      .toSorted(),
  ).toEqual(
    [
      'end-git-tokens',
      'mint-git-token',
      'pull-requests',
      'read-profile',
      'repository-access',
      'repository-file',
      'visible-repositories',
    ].map((name) => `lambdas/domain/code-host/${name}.ts`),
  );
});
