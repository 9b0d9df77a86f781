// npm run deploy, npm run release, npm run destroy: the AWS account that the credentials name.
// CDK context is passed through: npm run deploy -- --context domainName=berth.example.com
import { install } from './install.mjs';
import { root, run } from './run.mjs';
import { leave, Stop } from './step.mjs';

const [verb, ...args] = process.argv.slice(2);

/** The laptop's credentials must not reach the cloud, nor the cloud's the laptop's emulator. */
function checkTarget() {
  const {
    AWS_ENDPOINT_URL,
    AWS_ACCESS_KEY_ID,
    AWS_PROFILE,
    AWS_ROLE_ARN,
    AWS_WEB_IDENTITY_TOKEN_FILE,
    AWS_CONTAINER_CREDENTIALS_RELATIVE_URI,
  } = process.env;
  if (AWS_ENDPOINT_URL) {
    throw new Stop(
      `AWS_ENDPOINT_URL is ${AWS_ENDPOINT_URL}, but \`npm run ${verb}\` needs a real AWS account. Unset it, or use \`npm start\` for the laptop cloud.`,
    );
  }
  if (AWS_ACCESS_KEY_ID === 'test') {
    throw new Stop(
      'AWS_ACCESS_KEY_ID is `test`, the key of an emulator. Set the credentials of your AWS account, or AWS_PROFILE.',
    );
  }
  const named =
    AWS_ACCESS_KEY_ID ||
    AWS_PROFILE ||
    AWS_ROLE_ARN ||
    AWS_WEB_IDENTITY_TOKEN_FILE ||
    AWS_CONTAINER_CREDENTIALS_RELATIVE_URI;
  if (!named) {
    throw new Stop(
      `No AWS account is configured. Set AWS_PROFILE (or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY) and AWS_REGION, then run: npm run ${verb}`,
    );
  }
}

const orStop = async (tool, toolArgs) => {
  const code = await run(tool, toolArgs);
  if (code !== 0) throw new Stop(`${tool} ended with exit code ${code}.`);
};

try {
  checkTarget();
  await install(root);
  if (verb === 'deploy') {
    await orStop('tsx', ['scripts/build.ts']);
    await orStop('cdk', ['deploy', '--all', ...args]);
    await orStop('tsx', ['scripts/publish.ts', ...args]);
  } else if (verb === 'release') {
    await orStop('tsx', ['scripts/release.ts', ...args]);
  } else if (verb === 'destroy') {
    // The control plane launches instances, not CloudFormation: they would outlive the stacks and
    // be billed.
    await orStop('tsx', ['scripts/terminate-nodes.ts', ...args]);
    await orStop('tsx', ['scripts/remove-release.ts', ...args]);
    await orStop('cdk', ['destroy', '--all', ...args]);
  } else {
    throw new Stop('Usage: npm run deploy, npm run release, or npm run destroy');
  }
} catch (error) {
  leave(error);
}
