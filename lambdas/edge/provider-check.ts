import * as z from 'zod/mini';
import { ProviderCheck } from '../domain/credentials/provider-check.js';
import { providers } from '../domain/records/credentials/credential.js';
import { readEnv } from '../shared/env.js';

const Urls = z.partialRecord(z.enum(providers), z.url());
const env = readEnv({
  PROVIDER_URLS: z.pipe(
    z.string(),
    z.pipe(
      z.transform((text: string): unknown => JSON.parse(text)),
      Urls,
    ),
  ),
});

/** Of the grant `providers:ask`. */
export const providerCheck = new ProviderCheck(env.PROVIDER_URLS);
