import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** From the private Python environment; missing with a Python that is too old for it. */
const command = join(import.meta.dirname, '../../.berth/venv/bin/st');

export const isInstalled = existsSync(command);
if (!isInstalled) console.warn('Schemathesis is not installed: `npm test` installs it with Python 3.11.');

const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
];

interface Run {
  /** Path or address of the OpenAPI document. */
  readonly document: string;
  /** Name and value, as one header line. */
  readonly header: string;
  readonly examples: number;
  readonly more?: readonly string[];
}

/**
 * Sends generated requests, the same in every run, and checks the answers against the document.
 * `passed` is the number of requests, or undefined when one failed; `output` says which.
 */
export async function runSchemathesis({ document, header, examples, more = [] }: Run) {
  const args = [
    ...['run', document, '--no-color', '--warnings', 'off', '--header', header],
    ...['--checks', checks.join(','), '--phases', 'fuzzing', '--seed', '1', '--no-shrink'],
    ...['--max-examples', String(examples), ...more],
  ];
  const cwd = mkdtempSync(join(tmpdir(), 'berth-schemathesis-'));
  const maxBuffer = 64 * 1_024 * 1_024;
  const { stdout, code } = await promisify(execFile)(command, args, { cwd, maxBuffer }).then(
    ({ stdout }) => ({ stdout, code: 0 }),
    (error: { stdout: string; code: number }) => error,
  );
  const passed = /(\d+) generated, \1 passed/.exec(stdout)?.[1];
  return { passed: code === 0 && passed !== undefined ? Number(passed) : undefined, output: stdout };
}
