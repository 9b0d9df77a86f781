import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, Validations } from 'aws-cdk-lib';
import { routes } from '../lambdas/routes.js';
import { addBerth } from './berth.js';
import { builtCode } from './function-code.js';
import { WrongSettings } from './given-settings.js';
import { writtenDefinitions } from './saga-definitions.js';
import { parseSettings, type Settings } from './settings.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const app = new App();
const settings = readSettings();

addBerth(app, {
  settings,
  routes,
  code: builtCode(root, settings),
  definitions: writtenDefinitions(root, settings),
});
// Loaded only when used: the rule pack is half of synth's time.
if (settings.nag) {
  const { AwsSolutionsChecks } = await import('cdk-nag');
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}
app.synth();

/** A wrong setting is a sentence to its author, and no stack of calls. */
function readSettings(): Settings {
  try {
    return parseSettings(app.node.getAllContext());
  } catch (error) {
    if (!(error instanceof WrongSettings)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
