import type { AwsCredentialIdentityProvider } from '@aws-sdk/types';

/**
 * What the bundler puts in place of the SDK's chain of credential sources. A function has its
 * role's credentials in its environment and nowhere else; the clients of the other sources would be
 * a fifth of every bundle.
 */
export const defaultProvider = (): AwsCredentialIdentityProvider => async () => {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
  if (!accessKeyId || !secretAccessKey) throw new Error('The environment of the function has no credentials');
  const sessionToken = process.env.AWS_SESSION_TOKEN;
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
};
