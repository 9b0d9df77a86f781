import { agentRows } from '../../../agent/api/contracts.js';
import { errorCodesOf } from '../../../scripts/agent-openapi/error-codes.js';
import { isJson } from '../../../scripts/agent-openapi/operation.js';

interface Answered {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: { readonly error?: unknown };
}

/**
 * Checks that the agent's response is documented in its table of routes. Ignores unknown addresses.
 */
export function checkAnswer({ method, path, status, body }: Answered): void {
  const contract = contractOf(method, path);
  if (!contract) return;
  const place = `${method} ${path.split('?')[0]} answered ${status}`;
  const shape = contract.responses[status];
  if (shape !== undefined) {
    if (!isJson(shape)) return;
    const parsed = shape.safeParse(body);
    if (!parsed.success) throw new Error(`${place}, not as its row says: ${parsed.error.message}`);
    return;
  }
  const codes: readonly unknown[] = errorCodesOf(contract).get(status) ?? [];
  if (!codes.includes(body.error))
    throw new Error(`${place} ${String(body.error)}, which its row does not name`);
}

function contractOf(method: string, path: string) {
  const plain = path.split('?')[0] ?? '';
  return agentRows.find(({ contract }) => {
    const pattern = contract.path.replace(/\/\{path\}$/, '(?:/.*)?').replace(/\{\w+\}/g, '[^/]+');
    return contract.method === method.toLowerCase() && new RegExp(`^${pattern}$`).test(plain);
  })?.contract;
}
