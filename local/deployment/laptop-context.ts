import { application, people, superadmin } from '../code-host/directory.js';
import type { LaptopPorts } from '../laptop-ports.js';

export const publicUrl = ({ front }: LaptopPorts): string => `http://localhost:${front}`;
export const ec2Url = ({ ec2 }: LaptopPorts): string => `http://127.0.0.1:${ec2}`;

/** Context settings (infra/settings.ts) that only a deployment on this machine has. */
export function laptopContext(ports: LaptopPorts, endpoint: string): Record<string, string> {
  const codeHost = `http://localhost:${ports.codeHost}`;
  return {
    publicUrl: publicUrl(ports),
    workspaceUrlTemplate: `http://ws-{workspaceId}.localhost:${ports.front}`,
    liveEndpointTemplate: `${endpoint}/_aws/execute-api/{apiId}/live`,
    codeHostUrl: codeHost,
    codeHostApiUrl: `${codeHost}/api/v3`,
    codeHostAppSlug: application.slug,
    ec2EndpointUrl: ec2Url(ports),
    superadmins: String(superadmin.id),
    allowedLogins: people.map(({ id }) => id).join(),
    // All nodes are this machine. The type gives room to as many workspaces as a node may hold.
    nodeInstanceTypes: JSON.stringify([{ name: 'laptop.any', vcpu: 64, memoryGb: 256, diskGb: 4_096 }]),
    nodeSaturationPercent: '101',
    projectEventWakeEnabled: 'true',
    // Keys of a laptop are often made up, and nothing of it leaves the machine.
    providerUrls: '{}',
    retainData: 'false',
    nag: 'false',
  };
}
