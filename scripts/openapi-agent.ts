import { agentRows } from '../agent/api/contracts.js';
import { agentDocument } from './agent-openapi/document.js';

/** The OpenAPI 3.1 document of the node agent; needs no node. */
process.stdout.write(`${JSON.stringify(agentDocument(agentRows), null, 2)}\n`);
