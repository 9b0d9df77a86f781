import { templates } from './builds/templates.js';

/** Synthesises the deployment for `npm run check`. */
try {
  console.log(`Templates: ${await templates()}`);
} catch (error) {
  const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
  console.error(`${stdout}${stderr}` || error);
  process.exitCode = 1;
}
