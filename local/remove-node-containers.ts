import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InstanceRecord } from './ec2/instance-record.js';
import { DockerNodeContainers, findDocker } from './ec2/node-containers.js';

/**
 * `npm run reset`: what the nodes of a state folder have in the Docker engine goes with their records; afterwards
 * nobody would know any more that it was theirs. The agent's labels tell, so nothing of anybody else is touched.
 */
const folder = join(process.argv[2] ?? '', 'ec2');
const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
const nodeIds = files.flatMap((name) => {
  const record = InstanceRecord.safeParse(JSON.parse(readFileSync(join(folder, name), 'utf8')));
  return record.success ? [record.data.nodeId] : [];
});
const docker = nodeIds.length > 0 ? await findDocker() : undefined;
if (docker) {
  const containers = new DockerNodeContainers(docker);
  for (const nodeId of nodeIds) await containers.remove(nodeId);
}
