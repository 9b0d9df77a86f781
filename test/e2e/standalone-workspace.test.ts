import { describe, inject } from 'vitest';
import { ownAccount } from '../support/own-account.js';
import { Person } from '../support/person.js';
import { itWalksOneWorkspace } from './walk-one-workspace.js';

describe('one workspace on a standalone node', () => {
  const { url, stateDir, mallory } = inject('cloud');
  const { login, cookies } = ownAccount();
  itWalksOneWorkspace('standalone', async () => ({
    stateDir,
    login,
    person: new Person(url, cookies),
    mallory: new Person(url, mallory),
  }));
});
