import { DomainError } from '../../shared/errors.js';

/** There is no such token, or it does not open anything any more: which of them is not told. */
export class McpTokenInvalid extends DomainError {
  override readonly name = 'McpTokenInvalid';
  readonly kind = 'unauthenticated';
  readonly code = 'INVALID_TOKEN';

  constructor() {
    super('A valid MCP token is required');
  }
}
