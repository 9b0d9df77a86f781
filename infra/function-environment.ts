import { channelEnvironment } from './channel-limits.js';
import type { Settings } from './settings.js';
import type { DataStack } from './stacks/data-stack.js';
import type { EdgeStack } from './stacks/edge-stack.js';

/** Environment of every function. Grants add the rest. */
export function functionEnvironment(
  settings: Settings,
  { data, edge }: { data: DataStack; edge: Pick<EdgeStack, 'publicUrl' | 'tokenIssuer'> },
): Readonly<Record<string, string>> {
  const domain = settings.nodesDomain;
  const workspaceUrlTemplate =
    settings.workspaceUrlTemplate ?? (domain ? `https://ws-{workspaceId}.${domain}:8443` : '{nodeUrl}');
  return {
    TABLE_NAME: data.table.table.tableName,
    PUBLIC_URL: edge.publicUrl,
    TOKEN_ISSUER: edge.tokenIssuer,
    LOG_LEVEL: settings.logLevel,
    DEPLOYMENT_ID: settings.deploymentId,
    WORKSPACE_URL_TEMPLATE: workspaceUrlTemplate,
    ...(settings.limitFactor === 1 ? {} : { LIMIT_FACTOR: String(settings.limitFactor) }),
    NODE_CAPACITY: String(settings.nodeCapacity),
    INSTANCE_TYPES: JSON.stringify(
      settings.nodeInstanceTypes.map(({ name, vcpu, memoryGb, diskGb }) => ({
        name,
        vcpu,
        memoryGb,
        diskGb,
      })),
    ),
    CPU_OVERCOMMIT: String(settings.cpuOvercommit),
    NODE_SATURATION_PERCENT: String(settings.nodeSaturationPercent),
    MAX_NODES_PER_USER: String(settings.maxNodesPerUser),
    ...(settings.workspaceImage ? { WORKSPACE_IMAGE: settings.workspaceImage } : {}),
    MAX_NODES: String(settings.maxNodes),
    MAX_WORKSPACES_PER_USER: String(settings.maxWorkspacesPerUser),
    MAX_SOCKETS_PER_USER: String(settings.maxSocketsPerUser),
    MAX_SOCKETS: String(settings.maxSockets),
    WARM_NODES: String(settings.warmNodes),
    SUPERADMINS: settings.superadmins,
    ...signInPolicy(settings),
    PROJECT_EVENT_WAKE_ENABLED: String(settings.projectEventWakeEnabled),
    AGENT_MESSAGE_CHANNELS_ENABLED: String(settings.agentMessageChannelsEnabled),
    ...channelEnvironment(settings.channelLimits),
    ...(settings.localPushService ? { LOCAL_PUSH_SERVICE: settings.localPushService } : {}),
    ...(domain ? { NODES_DOMAIN: domain } : {}),
  };
}

const signInPolicy = ({ allowedOrganisations, allowedLogins, allowedEmailDomains }: Settings) => ({
  ...(allowedOrganisations ? { ALLOWED_ORGANISATIONS: allowedOrganisations } : {}),
  ...(allowedLogins ? { ALLOWED_LOGINS: allowedLogins } : {}),
  ...(allowedEmailDomains ? { ALLOWED_EMAIL_DOMAINS: allowedEmailDomains } : {}),
});
