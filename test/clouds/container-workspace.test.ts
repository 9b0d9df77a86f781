import { afterAll, describe, inject } from 'vitest';
import { findDocker } from '../../local/ec2/node-containers.js';
import { itWalksOneWorkspace } from '../e2e/walk-one-workspace.js';
import { startCloud, type TestCloud } from '../support/cloud.js';
import { Person } from '../support/person.js';
import { itEvictsAContainer } from './container-eviction.js';

const engine = await findDocker();
if (!engine) console.warn('Workspaces in containers are not tested end to end: no Docker engine answers.');

describe.skipIf(!engine)('one workspace in a container', () => {
  let cloud: TestCloud | undefined;
  let person: Person;
  afterAll(() => cloud?.[Symbol.asyncDispose]());

  itWalksOneWorkspace('container', async () => {
    cloud = await startCloud({ docker: true, isBuilt: true, endpoint: inject('endpoint') || undefined });
    const { url, stateDir } = cloud;
    const login = 'octo';
    person = await Person.signIn(url, login);
    return { stateDir, login, person, mallory: await Person.signIn(url, 'mallory') };
  });

  itEvictsAContainer(() => person);
});
