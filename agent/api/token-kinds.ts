import type { TokenKind } from './contract.js';

interface TokenRule {
  /** Names of security schemes, of which one is required. */
  readonly schemes: readonly (keyof typeof securitySchemes)[];
  readonly accepts: string;
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
  terminalToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      "A person's terminal token, for one generation of a workspace: audience `workspace-terminal`",
  },
  terminalTokenQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'The same token in the address',
  },
  terminalTokenProtocol: {
    type: 'apiKey',
    in: 'header',
    name: 'Sec-WebSocket-Protocol',
    description:
      'The same token for sockets of browsers, as `berth, berth.token.<token>`. The response selects `berth`',
  },
  transferToken: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description:
      'For one file or one upload, valid for one minute: audience `workspace-transfer`. The control plane redirects its callers with this token',
  },
  previewToken: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description:
      'For one navigation of a browser to one port, valid for one minute and one use: audience `workspace-preview`. The response is a redirect that sets the preview cookie',
  },
  previewCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-vm_session_{workspaceId}_{port}',
    description:
      'Set by the response to a preview token or terminal token; valid for the preview of this port only',
  },
  forwardToken: {
    type: 'apiKey',
    in: 'header',
    name: 'x-svc-vm-forward-token',
    description: 'Token of one forwarded port: audience `local-forward`',
  },
} as const;

/** The tokens that each kind of route accepts. */
export const tokenRules: Readonly<Record<TokenKind, TokenRule>> = {
  none: { schemes: [], accepts: 'None' },
  node: { schemes: ['nodeToken'], accepts: 'Node-scoped management token' },
  diagnostics: {
    schemes: ['nodeToken', 'nodeTokenQuery'],
    accepts: 'Node-scoped management token, as bearer or `?token=`',
  },
  management: { schemes: ['managementToken'], accepts: 'Management token that names the workspace' },
  workspace: {
    schemes: ['terminalToken', 'terminalTokenQuery', 'managementToken'],
    accepts: 'Terminal token, as bearer or `?token=`, or a management token that names the workspace',
  },
  transfer: {
    schemes: ['terminalToken', 'terminalTokenQuery', 'transferToken', 'managementToken'],
    accepts:
      'Terminal token, as bearer or `?token=`, a transfer token for this file as `?token=`, or a management token that names the workspace',
  },
  terminal: {
    schemes: ['terminalTokenProtocol', 'terminalToken', 'terminalTokenQuery'],
    accepts: 'Terminal token, as subprotocol, bearer or `?token=`',
  },
  preview: {
    schemes: ['previewToken', 'previewCookie', 'terminalToken', 'managementToken'],
    accepts:
      'Preview token of a navigation, as `?token=`, the preview cookie that it creates, a terminal token as bearer, or a management token that names the workspace',
  },
  forward: { schemes: ['forwardToken'], accepts: 'Local-forward token in its own header' },
};
