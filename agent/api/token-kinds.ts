import type { TokenKind } from './contract.js';

interface TokenRule {
  /** Names of security schemes, each enough by itself. */
  readonly schemes: readonly (keyof typeof securitySchemes)[];
  readonly takes: string;
}

export const securitySchemes = {
  nodeToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'Node-scoped management token: audience `node-management`, claim `node`, no claim `workspace`',
  },
  nodeTokenQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'The same token in the address, for sockets and downloads',
  },
  managementToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Management token whose claim `workspace` is the workspace of the request',
  },
  workspaceToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: "A person's token for one generation of a workspace: audience `workspace-terminal`",
  },
  workspaceTokenQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'The same token in the address, as browsers need for sockets',
  },
  transferToken: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description:
      'For one file, or one upload, within a minute: audience `workspace-transfer`. The control plane sends its callers here with it',
  },
  previewCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-vm_session_{workspaceId}',
    description: "Set by the first answer to a person's token, for previews of this workspace only",
  },
  forwardToken: {
    type: 'apiKey',
    in: 'header',
    name: 'x-svc-vm-forward-token',
    description: 'Token of one forwarded port: audience `local-forward`',
  },
} as const;

/** Which token each kind of route takes. Everything else is refused: 401 when it is no such token, 403 when it is for another node or workspace. */
export const tokenRules: Readonly<Record<TokenKind, TokenRule>> = {
  none: { schemes: [], takes: 'Nothing' },
  node: { schemes: ['nodeToken'], takes: 'Node-scoped management token' },
  diagnostics: {
    schemes: ['nodeToken', 'nodeTokenQuery'],
    takes: 'Node-scoped management token, as bearer or `?token=`',
  },
  management: { schemes: ['managementToken'], takes: 'Management token that names the workspace' },
  workspace: {
    schemes: ['workspaceToken', 'workspaceTokenQuery', 'managementToken'],
    takes: 'Workspace token, as bearer or `?token=`, or a management token that names the workspace',
  },
  transfer: {
    schemes: ['workspaceToken', 'workspaceTokenQuery', 'transferToken', 'managementToken'],
    takes:
      'Workspace token, as bearer or `?token=`, a transfer token for this very file as `?token=`, or a management token that names the workspace',
  },
  terminal: {
    schemes: ['workspaceTokenQuery', 'workspaceToken'],
    takes: 'Workspace token, as `?token=` or bearer',
  },
  preview: {
    schemes: ['workspaceToken', 'workspaceTokenQuery', 'previewCookie', 'managementToken'],
    takes:
      'Workspace token, as bearer or `?token=`, the preview cookie that it gives, or a management token that names the workspace',
  },
  forward: { schemes: ['forwardToken'], takes: 'Local-forward token in its own header' },
};
