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

/** The node agent. It exits with 1 on a failure and with 0 on a signal. */
async function main(): Promise<void> {
  const output = outputOfOption(process.argv[2]);
  if (output !== null) {
    process.stdout.write(output);
    return;
  }
  const config = readConfig(process.env);
  raiseProcessPriority();
  const ring = new LogRing();
  const log = new Log({ level: config.logLevel, format: config.logFormat }, (line, entry) => {
    process.stdout.write(line);
    ring.add({ ...entry, source: 'agent' });
  }).with({ nodeId: config.nodeId });
  const agent = await composeAgent(config, log, { ring });
  endOnSignals(agent, config, log);
  collectWhenIdle();
  try {
    await agent.start();
  } catch (error) {
    if (agent.isStopping) return;
    log.error('Agent failed to start', { error });
    await agent.stop();
    process.exit(1);
  }
}

/** Null without an option: the agent runs. */
function outputOfOption(option: string | undefined): string | null {
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
      throw new ConfigError(`Unknown option ${option}. Run vm-agent --help`);
  }
}

function endOnSignals(agent: Agent, config: Config, log: Log): void {
  const end = (reason: string) => {
    if (agent.isStopping) return;
    log.info('Agent shuts down', { reason });
    setTimeout(() => {
      log.error('Shutdown timed out');
      process.exit(1);
    }, config.gracefulShutdownMs).unref();
    agent.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', () => end('SIGTERM'));
  process.on('SIGINT', () => end('SIGINT'));
  if (config.exitWithParent) onParentExit(() => end('parent process ended'));
  // Node.js would print the exception with any secret in it.
  for (const event of ['uncaughtException', 'unhandledRejection'])
    process.on(event, (error) => {
      log.error('Unhandled failure', { error });
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
