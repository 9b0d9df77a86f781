import { expect, it } from 'vitest';
import { shellEnvironment, shellPath } from './standalone-runner.js';

it("contains nothing of the agent's environment", () => {
  process.env.BOOTSTRAP_TOKEN = 'secret-of-the-agent';
  const options = { workspaceId: 'W', home: '/h', gitSettings: '/g', extra: { SVC_NODE_ID: 'N' } };

  const environment = shellEnvironment(options);
  delete process.env.BOOTSTRAP_TOKEN;

  expect(Object.keys(environment).toSorted()).toEqual(
    ['COLORTERM', 'GIT_CONFIG_SYSTEM', 'HOME', 'LANG', 'LOGNAME', 'PATH', 'SHELL', 'SVC_NODE_ID']
      .concat('SVC_WORKSPACE_FOLDER', 'SVC_WORKSPACE_ID', 'TERM', 'USER')
      .toSorted(),
  );
  expect(JSON.stringify(environment)).not.toContain('secret-of-the-agent');
});

it('removes folders of the agent’s npm package from the search path', () => {
  expect(shellPath('/x/node_modules/.bin:/usr/bin::/bin')).toBe('/usr/bin:/bin');
  expect(shellPath(undefined)).toContain('/usr/bin');
});
