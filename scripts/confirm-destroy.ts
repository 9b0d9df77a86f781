import { createInterface } from 'node:readline/promises';
import { deploymentContext } from './deployment-context.js';

/** Part of `npm run destroy`: asks before the first node is terminated. `--force` answers yes. */
const args = process.argv.slice(2);
const { deploymentId, retainData } = deploymentContext(args);
const isForced = args.some((arg) => arg === '--force' || arg === '-f');
const data = retainData ? 'Its data is kept' : 'Its data is deleted';

if (!isForced && !process.stdin.isTTY) {
  console.error('npm run destroy asks for confirmation, and this is no terminal. Add: -- --force');
  process.exitCode = 1;
} else if (!isForced) {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const question = `Terminate all nodes of ${deploymentId} and delete its images and stacks? ${data}. (y/n) `;
  const answer = await terminal.question(question);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) process.exitCode = 1;
}
