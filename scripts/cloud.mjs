// npm run deploy, npm run release, npm run destroy: the AWS account that the credentials name.
// CDK context is passed through: npm run deploy -- --context domainName=berth.example.com
import { checkAccount } from './check-account.mjs';
import { install } from './install.mjs';
import { root, run } from './run.mjs';
import { leave, Stop } from './step.mjs';

const [verb, ...args] = process.argv.slice(2);

const orStop = async (tool, toolArgs) => {
  const code = await run(tool, toolArgs);
  if (code !== 0) throw new Stop(`${tool} ended with exit code ${code}.`);
};

try {
  await checkAccount(verb, args);
  await install(root);
  if (verb === 'deploy') {
    await orStop('tsx', ['scripts/check-rotations.ts', ...args]);
    await orStop('tsx', ['scripts/build.ts']);
    await orStop('cdk', ['deploy', '--all', ...args]);
    await orStop('tsx', ['scripts/publish.ts', ...args]);
  } else if (verb === 'release') {
    await orStop('tsx', ['scripts/release.ts', ...args]);
  } else if (verb === 'destroy') {
    const settings = args.filter((arg) => arg !== '--force' && arg !== '-f');
    // A wrong setting or a missing build fails here, before the first node is terminated.
    await orStop('tsx', ['scripts/build.ts']);
    await orStop('cdk', ['synth', '--quiet', ...settings]);
    await orStop('tsx', ['scripts/confirm-destroy.ts', ...args]);
    // The control plane launches instances, not CloudFormation: they would outlive the stacks and
    // be billed.
    await orStop('tsx', ['scripts/terminate-nodes.ts', ...settings]);
    await orStop('tsx', ['scripts/remove-release.ts', ...settings]);
    await orStop('cdk', ['destroy', '--all', '--force', ...settings]);
  } else {
    throw new Stop('Usage: npm run deploy, npm run release, or npm run destroy');
  }
} catch (error) {
  leave(error);
}
