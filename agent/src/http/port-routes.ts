import type { FastifyInstance } from 'fastify';
import type { WorkspacePorts } from '../../../protocol/node-api.js';
import type { PortScanner } from '../ports/port-scanner.js';
import { type Admission, admit } from './workspace-request.js';

export interface PortRouteParts extends Admission {
  readonly scanner: PortScanner;
}

/** What a workspace listens on. */
export function addPortRoutes(app: FastifyInstance, parts: PortRouteParts): void {
  app.get('/workspaces/:workspaceId/ports', async (request): Promise<WorkspacePorts> => {
    const { workspaceId } = await admit(request, parts);
    return parts.scanner.list(workspaceId);
  });
}
