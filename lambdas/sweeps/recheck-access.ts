// Every five minutes: checks the sign-in policy again for people whose last check is 12 hours old
import { recheckAccess } from '../domain/users/recheck-access.js';
import { readSignInPolicy, signInPolicyEnv } from '../domain/users/sign-in-policy.js';
import { codeHost } from '../edge/code-host.js';
import { scheduled } from '../edge/consumer.js';
import { secretBox } from '../edge/secret-box.js';
import { readEnv } from '../shared/env.js';

const policy = readSignInPolicy(readEnv(signInPolicyEnv));

export const handler = scheduled(async ({ table, now, log }) => {
  const checked = await recheckAccess({ table, secrets: secretBox, codeHost, policy, now });
  log.info('Sign-in policy checked', { ...checked });
});
