import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InstanceRecord } from '../../local/ec2/instance-record.js';

/**
 * The EC2 stand-in's record of a node's machine: what is so, whatever the control plane believes.
 */
export function findInstance(stateDir: string, nodeId: string): InstanceRecord | undefined {
  return listInstances(stateDir).find((record) => record.nodeId === nodeId);
}

export function listInstances(stateDir: string): InstanceRecord[] {
  const folder = join(stateDir, 'ec2');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => InstanceRecord.parse(JSON.parse(readFileSync(join(folder, name), 'utf8'))));
}
