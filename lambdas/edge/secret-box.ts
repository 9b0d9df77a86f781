import { Envelope } from '../domain/secrets/envelope.js';
import { dataKeys } from '../shared/clients/data-keys.js';

/** Seals and opens stored secrets with the deployment's data key. */
export const secretBox = new Envelope(dataKeys);
