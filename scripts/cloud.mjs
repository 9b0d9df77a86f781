// npm run bootstrap, deploy, diff, release and destroy: the AWS account that the credentials name.
// Settings are CDK context: npm run deploy -- -c domainName=berth.example.com
import { checkAccount } from './cloud/check-account.mjs';
import { installTools } from './install.mjs';
import { root, run } from './run.mjs';
import { leave } from './step.mjs';

const [verb, ...args] = process.argv.slice(2);

try {
  await checkAccount(verb, args);
  await installTools(root);
  process.exitCode = await run('tsx', ['scripts/cloud/main.ts', verb, ...args]);
} catch (error) {
  leave(error);
}
