import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InstanceRecord } from './ec2/instance-record.js';
import { DockerNodeContainers, findDocker } from './ec2/node-containers.js';
import { RunLedger } from './processes/run-ledger.js';

/**
 * `npm run reset`: ends what a killed run left, and removes what the nodes of a state folder have
 * in the Docker engine, before their records are deleted. The agent's labels select it, so nothing
 * else is removed.
 */
const stateDir = process.argv[2] ?? '';
await new RunLedger(join(stateDir, 'run')).endOrphans();
const folder = join(stateDir, 'ec2');
const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
const nodeIds = files.flatMap((name) => nodeOf(join(folder, name)) ?? []);
const docker = nodeIds.length > 0 ? await findDocker() : undefined;
if (docker) {
  const containers = new DockerNodeContainers(docker);
  for (const nodeId of nodeIds) await containers.remove(nodeId);
}

/** A file that cannot be read any more must not keep a person from emptying the state. */
function nodeOf(file: string): string | undefined {
  try {
    return InstanceRecord.parse(JSON.parse(readFileSync(file, 'utf8'))).nodeId;
  } catch {
    return undefined;
  }
}
