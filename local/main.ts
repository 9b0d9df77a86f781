import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chooseDemoAgent } from './demo-agent/choose-demo-agent.js';
import { installDemoAgent } from './demo-agent/demo-agent.js';
import { fillInBackground } from './fill-harness-store.js';
import { LaptopCloud } from './laptop-cloud.js';
import { LaptopError } from './laptop-error.js';
import { claimPorts, frontPort, portsFrom } from './laptop-ports.js';
import { chooseRole, type NodeRole } from './node-role.js';
import { RunLedger } from './processes/run-ledger.js';
import { watchParents } from './processes/watch-parents.js';
import { Progress, seconds } from './progress.js';
import { type StartOptions, startOptions } from './start-options.js';
import { agentDebugPort } from './watch/debug-function.js';
import { welcome } from './welcome.js';

/**
 * `npm start`, after the installation: starts the laptop cloud and keeps it running until it is
 * asked to stop.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stateDir = process.env.BERTH_STATE_DIR ? resolve(process.env.BERTH_STATE_DIR) : join(root, '.berth');

const ledger = new RunLedger(join(stateDir, 'run'));

type Ending = { readonly code: number; readonly reason: string };

/** When `npm start` began, with the installation; undefined when this file was started itself. */
function startOfLauncher(): number | undefined {
  return Number(process.env.BERTH_STARTED_AT) || undefined;
}

async function main(): Promise<Ending> {
  const began = startOfLauncher() ?? Date.now();
  const options = startOptions(process.argv.slice(2));
  const ports = portsFrom(frontPort({ text: process.env.BERTH_PORT, stateDir }));
  const ending = untilAsked();
  // The launcher owns the state folder, so these are what a killed run left.
  await ledger.endOrphans();
  const endpoint = process.env.AWS_ENDPOINT_URL || undefined;
  await claimPorts(endpoint === undefined ? ports : { ...ports, emulator: ports.front });
  ledger.record('main', process.pid);
  const role = await chooseRole({
    role: process.env.BERTH_NODE_ROLE,
    image: process.env.BERTH_WORKSPACE_IMAGE,
  });
  const progress = new Progress((line) => console.log(line));
  const harnesses = join(stateDir, 'harnesses');
  const nodeEnv = await nodeEnvOf(options, role, harnesses);
  const starting = LaptopCloud.start({ root, stateDir, ports, role, progress, endpoint, nodeEnv });
  starting.catch(() => undefined);
  const early = await Promise.race([starting.then(() => undefined), ending]);
  // Half started: child processes end with their pipes, and the emulator saves what it has.
  if (early) return early;
  await using cloud = await starting;
  await makeChangeable(cloud, options);
  if (options.demoAgent) await chooseForOcto(cloud.publicUrl);
  if (role.name === 'workspace') fillInBackground(harnesses, console.log);
  console.log(welcome(cloud, role, { elapsed: seconds(Date.now() - began), ...options }));
  const end = await Promise.race([
    ending,
    cloud.failed.then(
      (): Ending => ({
        code: 1,
        reason: `The AWS emulator ended unexpectedly; its log is ${join(stateDir, 'logs/emulator.log')}`,
      }),
    ),
  ]);
  console.log(`\n${end.reason}: stopping the nodes and the emulator, saving their state …`);
  return end;
}

async function nodeEnvOf({ debug, demoAgent }: StartOptions, role: NodeRole, harnesses: string) {
  return {
    ...(role.name === 'workspace' ? { WORKSPACE_HARNESS_PATH: harnesses } : {}),
    ...(demoAgent ? await demoAgentEnv(role, harnesses) : {}),
    ...(debug.includes('agent') ? { NODE_OPTIONS: agentNodeOptions } : {}),
  };
}

/** Containers see the folder of coding agents at another place. */
function demoAgentEnv({ name }: NodeRole, harnesses: string) {
  const folder = join(harnesses, 'demo-agent');
  const mountedAt = name === 'workspace' ? '/opt/berth/harnesses/demo-agent' : folder;
  return installDemoAgent({ folder, mountedAt });
}

/** A cloud that people can use is ready, also when this fails. */
async function chooseForOcto(url: string): Promise<void> {
  const isChosen = await chooseDemoAgent(url, 'octo').catch((error: unknown) => {
    console.log(`The demo agent could not be made the default of octo: ${error}`);
    return true;
  });
  if (!isChosen)
    console.log('octo has chosen another agent, in Settings, Agents. The demo agent is OpenCode.');
}

const agentNodeOptions = `--max-semi-space-size=2 --inspect=127.0.0.1:${agentDebugPort}`;

async function makeChangeable(cloud: LaptopCloud, { watch, debug }: StartOptions): Promise<void> {
  for (const name of debug.filter((each) => each !== 'agent')) await cloud.debug(name);
  if (watch) cloud.watch();
}

function untilAsked(): Promise<Ending> {
  return new Promise((resolve) => {
    let asked = false;
    const end = (reason: string) => {
      asked = true;
      resolve({ code: 0, reason });
    };
    process.on('SIGTERM', () => end('SIGTERM'));
    process.on('SIGHUP', () => end('SIGHUP'));
    process.on('SIGINT', () => {
      // A second Ctrl-C does not wait; child processes end with their pipes.
      if (asked) process.exit(130);
      end('Ctrl-C');
    });
    const launcher = Number(process.env.BERTH_LAUNCHER_PID) || undefined;
    watchParents(launcher, () => resolve({ code: 1, reason: 'The process that started Berth has ended' }));
  });
}

try {
  const { code } = await main();
  ledger.forget('main');
  process.exit(code);
} catch (error) {
  ledger.forget('main');
  console.error(error instanceof LaptopError ? `\n${error.message}` : error);
  process.exit(1);
}
