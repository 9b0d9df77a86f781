import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { composeAgent } from '../src/composition/compose-agent.js';
import { readConfig } from '../src/config/config.js';
import { LogRing } from '../src/diagnostics/log-ring.js';
import { Log } from '../src/shared/log.js';
import { agentRows } from './contracts.js';

/** A path in the form of the server. */
const served = (path: string) => path.replace(/\{path\}$/, '*').replace(/\{(\w+)\}/g, ':$1');

it('every contract has a handler, and every route and socket has a contract', async () => {
  const config = readConfig({
    NODE_ID: '01K0000000000000000000000N',
    CONTROL_PLANE_URL: 'http://127.0.0.1:9',
    NODE_ROLE: 'standalone',
    VM_AGENT_STATE_DIR: mkdtempSync(join(tmpdir(), 'contracts-')),
  });
  const log = new Log({ level: 'error', format: 'json' }, () => undefined);

  const agent = await composeAgent(config, log, { ring: new LogRing() });
  const routes = [...new Set(await agent.routes())].sort();
  await agent.stop();

  const declared = agentRows.map(({ contract }) => `${contract.method} ${served(contract.path)}`);
  expect(declared.sort()).toEqual(routes);
});

it('operation ids are unique', () => {
  const names = agentRows.map(({ name }) => name);

  expect(new Set(names).size).toBe(names.length);
});
