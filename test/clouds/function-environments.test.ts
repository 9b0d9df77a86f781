import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { synthesise } from '../../infra/testing.js';
import { functionsOf } from '../../infra/testing-functions.js';

/** Lambda sets these itself. */
const ofLambda = { AWS_REGION: 'eu-central-1', AWS_LAMBDA_FUNCTION_NAME: 'function' };

const secret = 'x'.repeat(32);

/** References of a template, as values of the right form. */
const givenAs = (name: string, value: unknown): string => {
  if (typeof value === 'string') return value;
  if (name === 'ORIGIN_SECRETS') return secret;
  return /URL|ENDPOINT|ISSUER/.test(name) ? 'https://reference.example/' : 'reference';
};

/** Each bundle is loaded with its own environment only; the output names what cannot be loaded. */
const loader = `
import { readFileSync } from 'node:fs';
const failed = {};
for (const [file, environment] of Object.entries(JSON.parse(readFileSync(process.argv[2])))) {
  process.env = environment;
  await import(process.argv[3] + '/' + file + '/index.mjs').catch((error) => { failed[file] = String(error); });
}
process.stdout.write(JSON.stringify(failed));
process.exit();
`;

it('gives every function the variables that it reads when it is loaded', async () => {
  const environments = [...functionsOf(synthesise())].map(([file, { environment }]) => {
    const own = Object.entries(environment).map(([name, value]) => [name, givenAs(name, value)]);
    return [file, { ...ofLambda, ...Object.fromEntries(own) }];
  });
  const folder = mkdtempSync(join(tmpdir(), 'berth-environments-'));
  writeFileSync(join(folder, 'environments.json'), JSON.stringify(Object.fromEntries(environments)));
  writeFileSync(join(folder, 'loader.mjs'), loader);

  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(folder, 'loader.mjs'), join(folder, 'environments.json'), resolve('dist/lambdas')],
    { env: {} },
  );

  expect(environments.length).toBeGreaterThan(150);
  expect(JSON.parse(stdout)).toEqual({});
});
