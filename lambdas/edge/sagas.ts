import * as z from 'zod/mini';
import { Sagas } from '../domain/sagas/sagas.js';
import { type SagaName, sagaArnVariable } from '../saga-names.js';
import { stepFunctions } from '../shared/clients/step-functions.js';
import { readEnv } from '../shared/env.js';

/**
 * The sagas that a function starts. Each one's ARN is in the environment of a function with its
 * `saga:` grant.
 */
export function sagasOf(...names: readonly SagaName[]): Sagas {
  const arns = names.map((name) => {
    const variable = sagaArnVariable(name);
    return [name, readEnv({ [variable]: z.string() })[variable]] as const;
  });
  return new Sagas(stepFunctions, Object.fromEntries(arns));
}
