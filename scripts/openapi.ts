import { openApiDocument as documentOf } from '../lambdas/edge/openapi/document.js';
import { contractOf } from '../lambdas/http/contracts.js';
import { routes } from '../lambdas/routes.js';

/** The OpenAPI 3.1 document of the control plane; needs no cloud. */
export const openApiDocument = () => documentOf(routes, contractOf);

if (import.meta.main) process.stdout.write(`${JSON.stringify(openApiDocument(), null, 2)}\n`);
