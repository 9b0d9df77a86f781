import { openApiDocument as documentOf } from '../lambdas/edge/openapi/document.js';
import { contractOf } from '../lambdas/http/contracts.js';
import { callbacksForTools, clientsForTools } from '../lambdas/http/documents.js';
import { routes } from '../lambdas/routes.js';

/** All operations of the control plane, with each schema where it is used; needs no cloud. */
export const openApiDocument = () => documentOf(routes, contractOf);

if (import.meta.main) {
  const document = process.argv.includes('--callbacks') ? callbacksForTools : clientsForTools;
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}
