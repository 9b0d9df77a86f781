import { join } from 'node:path';
import { Browser, browserPath, signInBy } from '../support/browser.js';
import { Person } from '../support/person.js';
import { until } from '../support/until.js';

// Draws the README's picture of the console from a laptop cloud with nothing in it and the demo
// agent: `npm run reset`, `npm start -- --demo-agent`, then `npm run pictures`.

const url = process.env.BERTH_URL ?? 'http://localhost:8787';
const output = join(import.meta.dirname, '../../docs/pictures/console.png');
const wishes = [
  'Add a section "Greeting" to the README',
  'The build is red on Windows: find the cause and mend it',
  'Translate the error messages into French',
];

/** A task for each wish, whose agents ask something now. Returns the page of the first. */
async function makeTasks({ client }: Person): Promise<string> {
  const { repositories } = await client.call('GET /api/codehost/repositories', {});
  const found = repositories.find(({ fullName }) => fullName === 'octo/hello');
  if (!found) throw new Error('octo/hello is not among the repositories of octo');
  const { id: projectId } = await client.call('POST /api/projects', {
    body: { name: 'Harbour', repository: found.fullName, installationId: found.installationId },
  });
  const taskIds: string[] = [];
  for (const message of wishes) {
    const call = { params: { projectId }, body: { message } };
    taskIds.push((await client.call('POST /api/projects/{projectId}/tasks/submit', call)).taskId);
  }
  const asked = async () => (await client.call('GET /api/inbox', {})).items.length >= wishes.length;
  await until('each agent asks something', async () => (await asked()) || undefined, 300_000);
  return `${url}/projects/${projectId}/tasks/${taskIds[0]}`;
}

if (!browserPath) throw new Error('No Chromium was found: set BERTH_CHROMIUM');
const address = process.env.PICTURE_OF ?? (await makeTasks(await Person.signIn(url, 'octo')));
await using browser = await Browser.start(browserPath);
const { page } = browser;
await page.setViewportSize({ width: 1_280, height: 800 });
await page.goto(url);
await signInBy(page, 'octo');
await page.goto(address);
await page.getByRole('button', { name: /allow once/i }).click();
await page.getByText(/Changes shows it/).waitFor();
await page.getByRole('button', { name: 'Refresh' }).click();
await page.getByText('DEMO.md', { exact: true }).last().waitFor();
await page.getByText('Loading …').waitFor({ state: 'detached' });
await page.screenshot({ path: output });
console.log(`Written: ${output}`);
