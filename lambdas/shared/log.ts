import { Logger } from '@aws-lambda-powertools/logger';

const secretName = /(token|secret|password|authorization|cookie|privatekey|credential|verifier)s?$/i;

/** A JSON replacer that removes fields with the name of a secret, at any depth. */
export function hideSecrets(name: string, value: unknown): unknown {
  if (!secretName.test(name)) return value;
  return value === undefined || value === null ? value : '[hidden]';
}

/** Service name and level come from the environment (POWERTOOLS_SERVICE_NAME, LOG_LEVEL). */
export const rootLog = new Logger({ jsonReplacerFn: hideSecrets });

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
