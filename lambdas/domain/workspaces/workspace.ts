import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { RepositoryPermission } from '../code-host/code-host.js';
import { workspaceStatuses } from './workspace-status.js';

export const ResourceRequirements = z.strictObject({
  minVcpu: z.optional(z.number().check(z.nonnegative())),
  minMemoryGb: z.optional(z.number().check(z.nonnegative())),
  minDiskGb: z.optional(z.number().check(z.nonnegative())),
  /** The workspace shares its node with no other. */
  exclusiveNode: z.optional(z.boolean()),
  /** With how many others it shares its node at most. */
  maxCoTenants: z.optional(z.int().check(z.gte(0), z.lte(100))),
});

export type ResourceRequirements = z.infer<typeof ResourceRequirements>;

export const deletionProofs = [
  /** The node answered that it has no such workspace any more. */
  'vm_agent_confirmed',
  /** It was never placed on any node. */
  'workspace_never_started',
  /** EC2 said that the node's instance is terminated. */
  'node_runtime_terminated',
] as const;

export type DeletionProof = (typeof deletionProofs)[number];

/** Steps of the provisioning saga that wait for a callback. */
export const WaitingStep = z.enum(['launch-node', 'create-on-node']);
export type WaitingStep = z.infer<typeof WaitingStep>;

export const RestartMode = z.enum(['restart', 'rebuild']);
export type RestartMode = z.infer<typeof RestartMode>;

export const Workspace = z.object({
  workspaceId: Ulid,
  userId: Ulid,
  projectId: z.nullable(Ulid),
  displayName: z.string(),
  repository: z.nullable(z.string()),
  cloneUrl: z.nullable(z.string()),
  installationId: z.nullable(z.string()),
  /** What its owner could do with the repository at the last check; its git tokens can do no more. */
  repositoryPermission: z.optional(RepositoryPermission),
  /** When the code host last confirmed that, asked with the owner's own token. */
  repositoryCheckedAt: z.optional(z.iso.datetime()),
  branch: z.nullable(z.string()),
  /** What the branch begins from where there is none of its name. */
  baseBranch: z.optional(z.string()),
  /** The repository's dev container is not built. */
  lightweight: z.optional(z.boolean()),
  devcontainerConfigName: z.optional(z.string()),
  /** It is made for the execution of a task, which follows how it comes to life. */
  taskId: z.optional(Ulid),
  resourceRequirements: z.nullable(ResourceRequirements),
  /** Who its commits are by. */
  gitAuthor: z.optional(z.object({ name: z.string(), email: z.string() })),
  status: z.enum(workspaceStatuses),
  /** Counts the lives of the workspace: callbacks and saga steps of an older one have no effect. */
  generation: z.int(),
  /** Grows with every change that clients see. */
  version: z.int(),
  statusChangedAt: z.iso.datetime(),
  /** Where it is, or was last; it holds a place there while `parentPk` is on the item. */
  nodeId: z.nullable(Ulid),
  /** As they were when the workspace was sent to the node; the node's row has the present ones. */
  nodeUrl: z.nullable(z.string()),
  nodeCertificatePem: z.nullable(z.string()),
  /** What its own name in DNS points at; there is one only where nodes have a domain. */
  namedAddress: z.optional(z.string()),
  /** The node may have heard of it: from here on only the node or its end can prove it gone. */
  dispatchedAt: z.nullable(z.iso.datetime()),
  readyAt: z.nullable(z.iso.datetime()),
  /** Answers the saga step that waits. Secret. */
  taskToken: z.optional(z.string()),
  waitingStep: z.optional(WaitingStep),
  errorMessage: z.nullable(z.string()),
  /** How the present life is made from the files of the one before. */
  remake: z.optional(RestartMode),
  /** Where its first life has to be, whatever room there is elsewhere. */
  wantedNodeId: z.optional(Ulid),
  /** Where the life before was. */
  formerNodeId: z.optional(Ulid),
  deletion: z.optional(z.object({ attempt: z.int(), claimedAt: z.iso.datetime() })),
  deletionProof: z.optional(z.enum(deletionProofs)),
  bootLogEntries: z.optional(z.int()),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export type Workspace = z.infer<typeof Workspace>;

export const workspaceKey = (workspaceId: string) => ({ pk: `WORKSPACE#${workspaceId}`, sk: 'WORKSPACE' });

export const ownerOfWorkspaces = (userId: string): string => `USER#${userId}#WORKSPACES`;

/** Index keys that a workspace has while it holds a place on a node. */
export const placedOn = (nodeId: string, workspaceId: string) => ({
  parentPk: `NODE#${nodeId}`,
  parentSk: `WORKSPACE#${workspaceId}`,
});

export const workspaceItem = (workspace: Workspace) => ({
  ...workspaceKey(workspace.workspaceId),
  entity: 'workspace',
  schemaVersion: 1,
  ownerPk: ownerOfWorkspaces(workspace.userId),
  ownerSk: workspace.workspaceId,
  ...workspace,
});

/**
 * Who holds a place on a node: one life of a workspace. A late release by an earlier life takes nothing from a later
 * one on the same node.
 */
export const slotOf = ({ workspaceId, generation }: Pick<Workspace, 'workspaceId' | 'generation'>): string =>
  `${workspaceId}#${generation}`;
export interface UrlParts {
  readonly workspaceId: string;
  readonly nodeId: string;
  readonly nodeUrl: string;
}

/** Where clients reach a workspace; the template is the deployment's. DNS names carry ids in lower case. */
export function workspaceUrl(template: string, { workspaceId, nodeId, nodeUrl }: UrlParts): string {
  return template
    .replaceAll('{workspaceId}', workspaceId.toLowerCase())
    .replaceAll('{nodeId}', nodeId.toLowerCase())
    .replaceAll('{nodeUrl}', nodeUrl);
}
