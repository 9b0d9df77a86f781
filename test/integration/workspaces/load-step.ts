import type { Context } from 'aws-lambda';
import { lambdaContext } from '../../support/invoke.js';

export type RunStep = (input: Readonly<Record<string, unknown>>) => Promise<unknown>;

/**
 * Loads a saga's step as its function would. What it reads from the environment must be there by
 * then.
 */
export async function loadStep(file: string): Promise<RunStep> {
  const source = new URL(`../../../lambdas/sagas/${file}.ts`, import.meta.url).pathname;
  // The path is a parameter, so the checker cannot see what the module exports.
  const { handler } = (await import(/* @vite-ignore */ source)) as {
    handler: (input: unknown, context: Context) => Promise<unknown>;
  };
  return (input) => handler(input, lambdaContext);
}
