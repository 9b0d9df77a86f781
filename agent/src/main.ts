import type { Agent } from './agent.js';
import { composeAgent } from './composition/compose-agent.js';
import { type Config, readConfig } from './config/config.js';
import { helpText, printedConfig } from './config/config-help.js';
import { ConfigError } from './config/variable.js';
import { LogRing } from './diagnostics/log-ring.js';
import { agentVersion } from './node/agent-version.js';
import { collectWhenIdle, raiseMarkingThresholds } from './node/garbage-collection.js';
import { onParentExit } from './node/leave-with-parent.js';
import { raiseProcessPriority } from './node/process-priority.js';
import { dialHelperArgument, runDialHelper } from './ports/dial-helper.js';
import { Log } from './shared/log.js';
import { redactText } from './shared/redact.js';

/** The node agent. It ends with 1 when it cannot be what it was told to be, with 0 when it was asked to end. */
async function main(): Promise<void> {
  const told = whatToTell(process.argv[2]);
  if (told !== null) {
    process.stdout.write(told);
    return;
  }
  const config = readConfig(process.env);
  raiseProcessPriority();
  const ring = new LogRing();
  const log = new Log({ level: config.logLevel, format: config.logFormat }, (line, entry) => {
    process.stdout.write(line);
    ring.add({ ...entry, source: 'agent' });
  }).with({ nodeId: config.nodeId });
  const agent = await composeAgent(config, log, ring);
  endWhenAsked(agent, config, log);
  collectWhenIdle();
  try {
    await agent.start();
  } catch (error) {
    if (agent.isStopping) return;
    log.error('The agent cannot serve', { error });
    await agent.stop();
    process.exit(1);
  }
}

/** The answer to an option; null: there is none, and the agent is to run. */
function whatToTell(option: string | undefined): string | null {
  switch (option) {
    case undefined:
      return null;
    case '--version':
      return `vm-agent ${agentVersion}\n`;
    case '--help':
      return helpText();
    case '--print-config':
      return printedConfig(process.env);
    default:
      throw new ConfigError(`there is no option ${option}; --help tells those there are`);
  }
}

function endWhenAsked(agent: Agent, config: Config, log: Log): void {
  const end = (reason: string) => {
    if (agent.isStopping) return;
    log.info('Agent ends', { reason });
    setTimeout(() => {
      log.error('Not ended in time');
      process.exit(1);
    }, config.gracefulShutdownMs).unref();
    agent.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', () => end('SIGTERM'));
  process.on('SIGINT', () => end('SIGINT'));
  if (config.exitWithParent) onParentExit(() => end('its parent is gone'));
  // The engine would print an exception as it is, with any secret in it.
  for (const event of ['uncaughtException', 'unhandledRejection'])
    process.on(event, (error) => {
      log.error('A failure was not handled', { error });
      process.exit(1);
    });
}

raiseMarkingThresholds();
if (process.argv.includes(dialHelperArgument)) runDialHelper();
else
  main().catch((error: unknown) => {
    const text = error instanceof Error ? redactText(error.message) : 'unknown failure';
    const kind = error instanceof ConfigError ? 'bad configuration' : 'could not start';
    process.stderr.write(`vm-agent: ${kind}: ${text}\n`);
    process.exit(1);
  });
