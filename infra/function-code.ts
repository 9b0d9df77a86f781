import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';

/** Where a function's bundle comes from; `undefined` when the deployment goes without it. */
export type FunctionCode = (name: string) => Code | undefined;

/** Bundles built by `npm run build:lambdas`. @throws {Error} when one is missing and may not be */
export function builtCode(root: string, { allowMissing }: { allowMissing: boolean }): FunctionCode {
  return (name) => {
    const folder = join(root, 'dist', 'lambdas', name);
    if (existsSync(join(folder, 'index.mjs'))) return Code.fromAsset(folder);
    if (allowMissing) return undefined;
    throw new Error(`lambdas/${name}.ts is not built: run \`npm run build:lambdas\` first`);
  };
}
