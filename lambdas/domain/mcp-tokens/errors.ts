import { Unauthenticated } from '../../shared/errors.js';

/** The answer does not say whether the token is unknown, expired or revoked. */
export const mcpTokenInvalid = () =>
  new Unauthenticated('A valid MCP token is required', { code: 'INVALID_TOKEN' });
