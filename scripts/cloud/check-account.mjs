// Refuses to touch an AWS account by accident. It has no dependencies: it runs before anything is
// installed.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Stop } from '../step.mjs';

/** Variables of the credential sources of the AWS SDK; CloudShell sets the last one. */
const variables = [
  'AWS_ACCESS_KEY_ID',
  'AWS_PROFILE',
  'AWS_ROLE_ARN',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
];

/** The laptop's credentials must not reach the cloud, nor the cloud's the laptop's emulator. */
export async function checkAccount(verb, args, env = process.env) {
  if (env.AWS_ENDPOINT_URL) {
    throw new Stop(
      `AWS_ENDPOINT_URL is ${env.AWS_ENDPOINT_URL}, but \`npm run ${verb}\` needs a real AWS account. Unset it, or use \`npm start\` for the laptop cloud.`,
    );
  }
  if (/^(?:test$|BERTH)/.test(env.AWS_ACCESS_KEY_ID ?? '')) {
    throw new Stop(
      'AWS_ACCESS_KEY_ID is the key of an emulator. Set the credentials of your AWS account, or AWS_PROFILE.',
    );
  }
  if (args.some((arg) => /^--profile(=|$)/.test(arg))) {
    throw new Stop(
      'Set AWS_PROFILE instead of --profile: all steps of the command must use the same account.',
    );
  }
  if (variables.some((name) => env[name]) || hasProfileFile(env) || (await hasInstanceRole(env))) return;
  throw new Stop(
    `No AWS account is configured. Set AWS_PROFILE (or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY) and AWS_REGION, then run: npm run ${verb}`,
  );
}

/** Files of the default profile. */
function hasProfileFile({ AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE, HOME }) {
  const folder = join(HOME ?? homedir(), '.aws');
  const files = [
    AWS_SHARED_CREDENTIALS_FILE ?? join(folder, 'credentials'),
    AWS_CONFIG_FILE ?? join(folder, 'config'),
  ];
  return files.some((file) => existsSync(file));
}

/** An EC2 instance with a role has its credentials from the metadata service alone. */
async function hasInstanceRole({ AWS_EC2_METADATA_DISABLED, AWS_EC2_METADATA_SERVICE_ENDPOINT }) {
  if (AWS_EC2_METADATA_DISABLED === 'true') return false;
  const endpoint = AWS_EC2_METADATA_SERVICE_ENDPOINT ?? 'http://169.254.169.254';
  const call = (path, init) =>
    fetch(new URL(path, endpoint), { ...init, signal: AbortSignal.timeout(1_000) });
  try {
    const headers = { 'x-aws-ec2-metadata-token-ttl-seconds': '60' };
    const token = await (await call('/latest/api/token', { method: 'PUT', headers })).text();
    const role = await call('/latest/meta-data/iam/security-credentials/', {
      headers: { 'x-aws-ec2-metadata-token': token },
    });
    return role.ok;
  } catch {
    return false;
  }
}
