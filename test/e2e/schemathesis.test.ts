import { expect, inject, it } from 'vitest';
import { limitMs } from '../support/limit-ms.js';
import { Person } from '../support/person.js';
import { isInstalled, runSchemathesis } from '../support/schemathesis.js';
import { fuzzer } from '../support/shared-people.js';

const minutes = 60_000;

/** They end the session of the run. */
const excluded = ['/api/auth/sign-out', '/api/auth/sign-out-everywhere', '/api/auth/sessions/{sessionId}'];

it.runIf(isInstalled).each([
  ['openapi.json', 200],
  ['openapi-callbacks.json', 40],
])(
  'each route of %s answers generated requests as the document says',
  { timeout: limitMs(5 * minutes) },
  async (document, requests) => {
    const { url } = inject('cloud');
    const person = await Person.signIn(url, fuzzer);

    const { passed, output } = await runSchemathesis({
      document: `${url}/${document}`,
      header: `Cookie: ${person.cookieHeader}`,
      examples: 3,
      more: excluded.flatMap((path) => ['--exclude-path', path]),
    });

    expect(passed ?? 0, output).toBeGreaterThan(requests);
  },
);
