import { Logger } from '@aws-lambda-powertools/logger';
import { hideSecrets } from './hide-secrets.js';

/** Service name and level come from the environment (POWERTOOLS_SERVICE_NAME, LOG_LEVEL). */
export const rootLog = new Logger({ jsonReplacerFn: hideSecrets });

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
