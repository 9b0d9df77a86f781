import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';
import { Person } from '../support/person.js';

/** From the private Python environment; missing with a Python that is too old for it. */
const command = join(import.meta.dirname, '../../.berth/venv/bin/st');
if (!existsSync(command))
  console.warn('Schemathesis is not installed: `npm test` installs it with Python 3.11.');
const minutes = 60_000;

const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
];
/** They end the session of the run. */
const excluded = ['/api/auth/sign-out', '/api/auth/sign-out-everywhere', '/api/auth/sessions/{sessionId}'];

it.runIf(existsSync(command))(
  'each route answers generated requests as the OpenAPI document says',
  { timeout: 5 * minutes },
  async () => {
    const { url } = inject('cloud');
    const person = await Person.signIn(url, 'hubot');
    const args = [
      ...['run', `${url}/openapi.json`, '--no-color', '--warnings', 'off'],
      ...['--header', `Cookie: ${person.cookieHeader}`, '--checks', checks.join(',')],
      ...['--phases', 'fuzzing', '--max-examples', '3', '--seed', '1', '--no-shrink'],
      ...excluded.flatMap((path) => ['--exclude-path', path]),
    ];
    const { stdout, code } = await promisify(execFile)(command, args, {
      cwd: mkdtempSync(join(tmpdir(), 'berth-schemathesis-')),
      maxBuffer: 64 * 1_024 * 1_024,
    }).then(
      ({ stdout }) => ({ stdout, code: 0 }),
      (error: { stdout: string; code: number }) => error,
    );

    expect(code, stdout).toBe(0);
    expect(Number(/(\d+) generated, \1 passed/.exec(stdout)?.[1]), stdout).toBeGreaterThan(250);
  },
);
