import { describe, inject } from 'vitest';
import { Person } from '../support/person.js';
import { itWalksOneWorkspace } from './walk-one-workspace.js';

describe('one workspace on a standalone node', () => {
  const { url, stateDir, octo, mallory } = inject('cloud');
  itWalksOneWorkspace('standalone', async () => ({
    stateDir,
    octo: new Person(url, octo),
    mallory: new Person(url, mallory),
  }));
});
