// The commands of README's AWS section, after the account was checked and the packages installed.
import { WrongSettings } from '../../infra/given-settings.js';
import { bootstrap, currentAccount } from './bootstrap.js';
import { runScript, runTool, Stop } from './commands.js';
import { deploy } from './deploy.js';
import { destroy } from './destroy.js';
import { withLastSettings } from './last-settings.js';

const verbs: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  bootstrap: async (args) => bootstrap(await currentAccount(), args),
  deploy,
  diff: async (args) => {
    const settings = await withLastSettings(args);
    await runScript('build.ts');
    await runTool('cdk', ['diff', ...settings]);
  },
  release: async (args) => runScript('release.ts', await withLastSettings(args)),
  destroy,
};

const [name = '', ...args] = process.argv.slice(2);
try {
  const verb = verbs[name];
  if (!verb)
    throw new Stop(
      `Usage: ${Object.keys(verbs)
        .map((each) => `npm run ${each}`)
        .join(', ')}`,
    );
  await verb(args);
} catch (error) {
  console.error(`\n${problemOf(error)}`);
  process.exitCode = 1;
}

/** A problem that a person can solve is a sentence; anything else is a bug, with its stack. */
function problemOf(error: unknown): unknown {
  if (error instanceof Stop || error instanceof WrongSettings) return error.message;
  if (!(error instanceof Error)) return error;
  const isOfAws =
    '$metadata' in error ||
    /ECONN|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|Credentials/.test(`${error.name} ${error.message}`);
  return isOfAws ? `AWS did not answer as expected: ${error.message || error.name}` : error.stack;
}
