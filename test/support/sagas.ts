import type { SFNClient } from '@aws-sdk/client-sfn';
import { Sagas } from '../../lambdas/domain/sagas/sagas.js';
import { type SagaName, sagaArnVariable, sagaNames } from '../../lambdas/saga-names.js';

export const sagaArn = (saga: SagaName) => `arn:aws:states:us-east-1:000000000000:stateMachine:${saga}`;

/** The environment of a function that may start every saga. */
export const sagaArns: Readonly<Record<string, string>> = Object.fromEntries(
  sagaNames.map((name) => [sagaArnVariable(name), sagaArn(name)]),
);

/** Starts every saga with this client. None of the state machines exists. */
export const allSagas = (client: SFNClient) =>
  new Sagas(client, Object.fromEntries(sagaNames.map((name) => [name, sagaArn(name)])));
